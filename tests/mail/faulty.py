"""An IMAP and an SMTP server that keep mail as real ones do, and break at any command told."""

import contextlib
import re
import socketserver
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

HOST = "127.0.0.1"
DROP = "drop"
"""A fault: the connection is closed before the command is done."""
LOST = "lost"
"""A fault: the command is done, and the connection closed without an answer."""
BYE = "bye"
"""A fault: the command is done, and instead of an answer the server says that it goes down."""
AFTER = "after"
"""A fault: the command is done and answered, and the connection closed."""
STALL = "stall"
"""A fault: the command is done and nothing is said, the connection left open."""
# Any other text that a fault gives is the answer, and the command is not done.

EVERYTHING = "IMAP4rev1 IDLE MOVE UIDPLUS NAMESPACE AUTH=XOAUTH2"


class Gone(Exception):  # noqa: N818  # it tells of what is so, as real servers' closing does
    """The connection is to be closed."""


class Faulty:
    """What both servers share: they listen, note what they hear, and ask ``fault`` about it.

    ``fault`` gets a command's number, from 0, and its name, and returns "" where all is well.
    """

    def __init__(self) -> None:
        """Start with no fault."""
        self.heard: list[str] = []
        self.lines: list[str] = []
        self.fault: Callable[[int, str], str] = lambda _number, _command: ""
        self.lock = threading.RLock()
        self.port = 0

    def __enter__(self) -> Self:
        """Listen on a free port."""
        faulty = self

        class Handler(socketserver.StreamRequestHandler):
            disable_nagle_algorithm = True

            def handle(self) -> None:
                with contextlib.suppress(OSError, Gone, ValueError):
                    faulty.talk(self.rfile, self.wfile)

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True

            def process_request(self, request: Any, client_address: Any) -> None:
                clients.append(request)
                super().process_request(request, client_address)

        clients: list[Any] = []
        self._clients = clients
        self._server = Server((HOST, 0), Handler)
        self.port = int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.005,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Close every connection and wait for the threads."""
        self._server.shutdown()
        self.cut()
        self._server.server_close()
        self._thread.join(10)

    def break_at(self, number: int, how: str) -> None:
        """Go wrong at one command, and at no other."""
        self.fault = lambda heard, _command: how if heard == number else ""

    def break_always(self, command: str, how: str) -> None:
        """Go wrong whenever a command of this name comes."""
        self.fault = lambda _number, heard: how if heard == command else ""

    def mend(self) -> None:
        """Go wrong no more."""
        self.fault = lambda _number, _command: ""

    def cut(self) -> None:
        """Close every connection there is."""
        for client in self._clients:
            with contextlib.suppress(OSError):
                client.shutdown(2)

    def talk(self, reader: Any, writer: Any) -> None:
        """Speak with one client until it or a fault ends it."""
        raise NotImplementedError

    def step(self, writer: Any, command: str, do: Callable[[], bytes], tag: str = "") -> bool:
        """Do a command and answer, or go wrong; return whether it was done."""
        with self.lock:
            number = len(self.heard)
            self.heard.append(command)
        how = self.fault(number, command)
        if how == DROP:
            raise Gone
        if how not in ("", LOST, BYE, AFTER, STALL):
            writer.write(f"{tag} {how}\r\n".lstrip().encode())
            return False
        answer = do()
        if how == LOST:
            raise Gone
        if how == BYE:
            writer.write(
                b"* BYE going down\r\n" if tag or command == "GREETING" else b"421 bye\r\n"
            )
            raise Gone
        if how != STALL:
            writer.write(answer)
        if how == AFTER:
            raise Gone
        return True


@dataclass
class FaultyImap(Faulty):
    """A mailbox with an inbox and folders, kept over connections; ``silent``: IDLE is of no use."""

    capabilities: str = EVERYTHING
    inbox: dict[int, tuple[bytes, datetime]] = field(default_factory=dict)
    folders: dict[str, list[bytes]] = field(default_factory=dict)
    uidvalidity: int = 7
    uidnext: int = 1
    deleted: set[int] = field(default_factory=set)
    idling: list[Any] = field(default_factory=list)
    silent: bool = False

    def __post_init__(self) -> None:
        """Begin to be faulty."""
        super().__init__()

    def deliver(self, raw: bytes, at: datetime) -> int:
        """Take a mail in, and tell whoever is in IDLE."""
        with self.lock:
            uid, self.uidnext = self.uidnext, self.uidnext + 1
            self.inbox[uid] = (raw, at)
            if not self.silent:
                self.say(b"* %d EXISTS\r\n" % len(self.inbox))
        return uid

    def say(self, line: bytes) -> None:
        """Say something to whoever is in IDLE."""
        with self.lock:
            for writer in self.idling:
                writer.write(line)

    def renumber(self) -> None:
        """Give the folder a new UIDVALIDITY and its mails new UIDs."""
        with self.lock:
            mails, self.inbox = list(self.inbox.values()), {}
            self.uidvalidity, self.uidnext = self.uidvalidity + 1, 1
            for raw, at in mails:
                self.deliver(raw, at)

    def talk(self, reader: Any, writer: Any) -> None:
        """Speak IMAP, as far as postal needs it."""
        self.step(writer, "GREETING", lambda: b"* OK ready\r\n")
        for line in reader:
            text = line.decode().strip()
            self.lines.append(text)
            tag, _, rest = text.partition(" ")
            name, _, arguments = rest.partition(" ")
            if name == "UID":
                name, _, arguments = arguments.partition(" ")
                name = f"UID {name}"
                if name == "UID FETCH":
                    name += " BODY" if "BODY" in arguments else " SIZE"
            if name in ("IDLE", "AUTHENTICATE"):
                self._continued(reader, writer, tag, name)
                continue
            self.step(writer, name, lambda: self._do(name, arguments, tag), tag)  # noqa: B023  # called at once
            if name == "LOGOUT":
                return

    def _continued(self, reader: Any, writer: Any, tag: str, name: str) -> None:
        """Take a command that goes on after a go-ahead: a token, or DONE."""
        if not self.step(writer, name, lambda: b"+ go on\r\n", tag):
            return
        with self.lock:
            self.idling += [writer] if name == "IDLE" else []
        try:
            self.lines.append(reader.readline().decode().strip())
        finally:
            with self.lock:
                self.idling = [one for one in self.idling if one is not writer]
        if self.lines[-1]:
            then = "DONE" if name == "IDLE" else "TOKEN"
            self.step(writer, then, f"{tag} OK done\r\n".encode, tag)

    def _do(self, name: str, arguments: str, tag: str) -> bytes:
        """Do a command and return all of its answer."""
        with self.lock:
            return self._told(name, arguments) + f"{tag} OK done\r\n".encode()

    def _told(self, name: str, arguments: str) -> bytes:
        told = ""
        match name:
            case "CAPABILITY":
                told = f"* CAPABILITY {self.capabilities}\r\n"
            case "NAMESPACE":
                told = '* NAMESPACE (("" "/")) NIL NIL\r\n'
            case "SELECT":
                facts = f"[UIDVALIDITY {self.uidvalidity}] x\r\n* OK [UIDNEXT {self.uidnext}] x"
                told = f"* {len(self.inbox)} EXISTS\r\n* OK {facts}\r\n"
            case "LIST" if (folder := _last_word(arguments)) in self.folders:
                told = f'* LIST () "/" "{folder}"\r\n'
            case "CREATE":
                self.folders[_last_word(arguments)] = []
            case "LOGOUT":
                told = "* BYE bye\r\n"
            case "EXPUNGE":
                return self._expunge(sorted(self.deleted))
            case "UID SEARCH":
                told = f"* SEARCH {' '.join(map(str, self.inbox))}\r\n"
            case _ if name.startswith("UID "):
                return self._uid(name, arguments)
        return told.encode()

    def _uid(self, name: str, arguments: str) -> bytes:
        uids = arguments.partition(" ")[0].split(",")
        return b"".join(self._about(int(uid), name, arguments) for uid in uids)

    def _about(self, uid: int, name: str, arguments: str) -> bytes:
        if uid not in self.inbox:
            return b""
        raw, at = self.inbox[uid]
        place = list(self.inbox).index(uid) + 1
        match name:
            case "UID FETCH SIZE":
                date = at.strftime("%d-%b-%Y %H:%M:%S +0000")
                facts = f'RFC822.SIZE {len(raw)} INTERNALDATE "{date}"'
                return f"* {place} FETCH (UID {uid} {facts})\r\n".encode()
            case "UID FETCH BODY":
                return _body(place, uid, raw, arguments)
            case "UID STORE":
                self.deleted.add(uid)
            case "UID EXPUNGE":
                return self._expunge([uid])
            case _:
                self.folders[_last_word(arguments)].append(raw)
                if name == "UID MOVE":
                    return self._expunge([uid])
        return b""

    def _expunge(self, uids: list[int]) -> bytes:
        told = b""
        for uid in uids:
            told += b"* %d EXPUNGE\r\n" % (list(self.inbox).index(uid) + 1)
            del self.inbox[uid]
            self.deleted.discard(uid)
        return told


def _body(place: int, uid: int, raw: bytes, arguments: str) -> bytes:
    part, data = b"BODY[]", raw
    if "HEADER" in arguments:
        part, data = b"BODY[HEADER]<0>", raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
    return b"* %d FETCH (UID %d %s {%d}\r\n%s)\r\n" % (place, uid, part, len(data), data)


def _last_word(arguments: str) -> str:
    return arguments.rsplit(maxsplit=1)[-1].strip('"')


@dataclass
class FaultySmtp(Faulty):
    """A submission server that keeps what it took, by recipient."""

    taken: list[tuple[str, bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin to be faulty."""
        super().__init__()

    def talk(self, reader: Any, writer: Any) -> None:
        """Speak SMTP, as far as postal needs it."""
        if not self.step(writer, "GREETING", lambda: b"220 here\r\n"):
            return
        recipient = ""
        for line in reader:
            text = line.decode().strip()
            self.lines.append(text)
            name = text.partition(" ")[0].upper()
            if name == "RCPT":
                recipient = re.sub(r"[^<]*<|>.*", "", text)
            done = self.step(writer, name, lambda: _SAID.get(name, b"250 fine\r\n"))  # noqa: B023  # called at once
            if name == "DATA" and done:
                self._data(reader, writer, recipient)
            if name == "QUIT":
                return

    def _data(self, reader: Any, writer: Any, recipient: str) -> None:
        lines: list[bytes] = []
        while (line := reader.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b"."))
        if line:
            self.step(writer, ".", lambda: self._take(recipient, b"".join(lines)))

    def _take(self, recipient: str, raw: bytes) -> bytes:
        with self.lock:
            self.taken.append((recipient, raw))
        return b"250 taken\r\n"


_SAID = {
    "EHLO": b"250-here\r\n250 AUTH PLAIN XOAUTH2\r\n",
    "AUTH": b"235 in\r\n",
    "DATA": b"354 go on\r\n",
    "QUIT": b"221 bye\r\n",
}

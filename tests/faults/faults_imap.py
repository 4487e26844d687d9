"""An IMAP server that keeps mail, and asks the breaker at each command it hears."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from io import BufferedIOBase

from tests.faults.faults_breaker import IMAP, Breaker
from tests.faults.faults_servers import CUT, Gone, Server

SIZE, BODY = "UID FETCH SIZE", "UID FETCH BODY"
"""Two steps: what a mail is asked for first, and its bytes. Its header alone is a step too."""

NOTHING = "ok, nothing"
"""The command is not done, and yet the answer is yes."""

UNDATED = ("no date", "zero date")
"""The server doesn't tell when a mail came."""

IMAP_ANSWERS = {
    "no": b"%s NO [UNAVAILABLE] not now\r\n",
    "bad": b"%s BAD what?\r\n",
    "bye": b"* BYE going down\r\n",
    "garbage": b"%%$ 500 \xff\xfe{9\r\n",
}
"""Answers of an IMAP server that does nothing; ``%s`` is the tag. After BYE it hangs up."""


@dataclass
class Mail:
    """A mail in a folder."""

    raw: bytes
    at: datetime
    deleted: bool = False

    @property
    def writer(self) -> str:
        """The name in From, by which a fault may choose it."""
        found = re.search(rb"^From: (\w+)", self.raw, re.MULTILINE)
        return found[1].decode() if found else ""


@dataclass
class Folder:
    """A folder's mails by UID."""

    uidvalidity: int
    mails: dict[int, Mail] = field(default_factory=dict)
    next: int = 1

    def put(self, mail: Mail) -> None:
        """Take a mail in."""
        self.mails[self.next] = mail
        self.next += 1


class ImapServer(Server):
    """A mailbox, kept over connections; what is on its way comes at its time."""

    place = IMAP

    def __init__(self, breaker: Breaker, capabilities: str) -> None:
        """Take a free port."""
        super().__init__(breaker)
        self.capabilities = capabilities
        self.folders = {"INBOX": Folder(1007)}
        self.coming: list[tuple[datetime, bytes]] = []

    @property
    def inbox(self) -> dict[int, Mail]:
        """The mails that have not been put away."""
        return self.folders["INBOX"].mails

    @property
    def uidvalidity(self) -> int:
        """The inbox's UIDVALIDITY."""
        return self.folders["INBOX"].uidvalidity

    def arrive(self) -> None:
        """Take in what has come by now."""
        with self.lock:
            now = self.breaker.clock.now()
            for at, raw in sorted(mail for mail in self.coming if mail[0] <= now):
                self.folders["INBOX"].put(Mail(raw, at))
            self.coming = [mail for mail in self.coming if mail[0] > now]

    def talk(self, reader: BufferedIOBase, writer: BufferedIOBase) -> None:
        """Speak IMAP, as far as a client of mail needs it."""
        told = _refusal("*")
        if not self.step(writer, "GREETING", "", lambda: b"* OK ready\r\n", told):
            return
        session = _Session(self)
        while line := reader.readline():
            while found := re.search(rb"\{(\d+)(\+?)\}\r\n$", line):
                if not found[2]:
                    writer.write(b"+ go on\r\n")
                line = line[: found.start()] + b"\0" + reader.read(int(found[1])) + b"\0"
                line += reader.readline()
            tag, _, rest = line.strip().decode("latin-1").partition(" ")
            session.hear(rest)
            if session.name in ("IDLE", "AUTHENTICATE"):
                self._continued(reader, writer, tag, session.name)
                continue
            self.arrive()
            self.step(
                writer,
                session.step,
                session.about(),
                lambda tag=tag: session.do(tag, ""),  # type: ignore[misc]  # called at once
                _refusal(tag),
                lambda how, tag=tag: session.do(tag, how),  # type: ignore[misc]  # called at once
            )
            if session.name == "LOGOUT":
                return

    def _continued(
        self, reader: BufferedIOBase, writer: BufferedIOBase, tag: str, name: str
    ) -> None:
        """Take a command that goes on after a go-ahead."""
        if self.step(writer, name, "", lambda: b"+ go on\r\n", _refusal(tag)):
            if not reader.readline():
                raise Gone
            then = "DONE" if name == "IDLE" else "TOKEN"
            self.step(writer, then, "", f"{tag} OK done\r\n".encode, _refusal(tag))


def _refusal(tag: str) -> Callable[[str], bytes | None]:
    def refuse(how: str) -> bytes | None:
        answer = IMAP_ANSWERS.get(how)
        return answer.replace(b"%s", tag.encode()).replace(b"%%", b"%") if answer else None

    return refuse


class _Session:
    """One connection's folder, and the command it has just heard."""

    def __init__(self, server: ImapServer) -> None:
        self.server = server
        self.folder = server.folders["INBOX"]
        self.name = self.step = self.arguments = ""
        self.by_uid = False

    def hear(self, text: str) -> None:
        """Take a command in."""
        name, _, arguments = text.partition(" ")
        self.by_uid = name.upper() == "UID"
        if self.by_uid:
            name, _, arguments = arguments.partition(" ")
        self.name, self.arguments = name.upper(), arguments
        self.step = f"UID {self.name}" if self.by_uid else self.name
        if self.name == "FETCH":
            asked = arguments.upper()
            header = "HEADER" in asked
            self.step += " HEADER" if header else " BODY" if "BODY" in asked else " SIZE"

    def about(self) -> str:
        """Whose mails it names, parted by blanks."""
        if self.name not in ("FETCH", "STORE", "COPY", "MOVE", "EXPUNGE"):
            return ""
        mails = self.folder.mails
        return " ".join(mails[uid].writer for uid in self._named() if uid in mails)

    def do(self, tag: str, how: str) -> bytes:
        """Do it, or what a fault says, and return all of the answer."""
        done = f"{tag} OK done\r\n".encode()
        if how == NOTHING:
            return done
        if how == "renumbered":
            self._renumber()
        deed = getattr(self, f"_{self.name.lower()}", None)
        if deed is None:
            return f"{tag} BAD no such command\r\n".encode()
        told: bytes = deed(how)
        return told if how == CUT else told + done

    def _renumber(self) -> None:
        mails, validity = self.folder.mails.values(), self.folder.uidvalidity
        self.folder.uidvalidity, self.folder.mails, self.folder.next = validity + 1, {}, 1
        for mail in list(mails):
            self.folder.put(mail)

    def _named(self) -> list[int]:
        """Return the UIDs that a command names."""
        uids = sorted(self.folder.mails)
        named = self.arguments.split(" ", 1)[0]
        if not self.by_uid and self.name == "EXPUNGE":
            return uids
        found = []
        for part in named.split(","):
            first, _, last = part.partition(":")
            low, high = (self._number(word, uids) for word in (first, last or first))
            known = uids if self.by_uid else range(1, len(uids) + 1)
            found += [one for one in known if min(low, high) <= one <= max(low, high)]
        return found if self.by_uid else [uids[number - 1] for number in found]

    def _number(self, word: str, uids: list[int]) -> int:
        if word == "*":
            return (uids or [0])[-1] if self.by_uid else len(uids)
        return int(word) if word.isdigit() else 0

    def _capability(self, _how: str) -> bytes:
        return f"* CAPABILITY {self.server.capabilities}\r\n".encode()

    def _namespace(self, _how: str) -> bytes:
        return b'* NAMESPACE (("" "/")) NIL NIL\r\n'

    def _login(self, _how: str) -> bytes:
        return b""

    _noop = _check = _id = _enable = _unselect = _close = _login

    def _logout(self, _how: str) -> bytes:
        return b"* BYE bye\r\n"

    def _select(self, how: str) -> bytes:
        folder = self.folder = self.server.folders[_last_word(self.arguments)]
        exists = len(folder.mails) + (how == "one more")
        return (
            f"* {exists} EXISTS\r\n* OK [UIDVALIDITY {folder.uidvalidity}] x\r\n"
            f"* OK [UIDNEXT {folder.next}] x\r\n"
        ).encode()

    _examine = _select

    def _list(self, _how: str) -> bytes:
        name = _last_word(self.arguments)
        found = [one for one in self.server.folders if name in (one, "*", "%")]
        return "".join(f'* LIST () "/" "{one}"\r\n' for one in found).encode()

    def _status(self, _how: str) -> bytes:
        name = self.arguments.split()[0].strip('"')
        folder = self.server.folders[name]
        facts = f"UIDVALIDITY {folder.uidvalidity} UIDNEXT {folder.next}"
        return f'* STATUS "{name}" (MESSAGES {len(folder.mails)} {facts})\r\n'.encode()

    def _create(self, _how: str) -> bytes:
        self.server.folders.setdefault(_last_word(self.arguments), Folder(2001))
        return b""

    def _search(self, how: str) -> bytes:
        words = self.arguments.upper()
        # ALL lists what is marked as deleted too (RFC 3501, 6.4.4).
        found = dict(self.folder.mails)
        for key, size in re.findall(r"(LARGER|SMALLER) (\d+)", words):
            found = {
                uid: mail
                for uid, mail in found.items()
                if (len(mail.raw) > int(size)) == (key == "LARGER") and len(mail.raw) != int(size)
            }
        if named := re.search(r"\bUID ([\d,:*]+)", words):
            self.arguments = named[1]
            asked = self._named()
            found = {uid: mail for uid, mail in found.items() if uid in asked}
        uids = list(found)
        if how in ("empty", "partly"):
            uids = uids[1:] if how == "partly" else []
        return f"* SEARCH {' '.join(map(str, uids))}\r\n".encode()

    def _fetch(self, how: str) -> bytes:
        return b"".join(self._about(uid, how) for uid in self._named())

    def _about(self, uid: int, how: str) -> bytes:
        mail = self.folder.mails[uid]
        place = sorted(self.folder.mails).index(uid) + 1
        asked = self.arguments.partition(" ")[2].upper()
        told = uid + 1000 if how == "other uid" else uid
        parts = [f"UID {told}".encode()] if self.by_uid else []
        if "FLAGS" in asked:
            parts.append(b"FLAGS ()")
        if "RFC822.SIZE" in asked:
            size = len(mail.raw) // 2 if how == "half" else len(mail.raw)
            parts.append(b"RFC822.SIZE %d" % size)
        if "INTERNALDATE" in asked and how != "no date":
            date = mail.at.strftime("%d-%b-%Y %H:%M:%S +0000")
            parts.append(f'INTERNALDATE "{_wrong_date(how) or date}"'.encode())
        parts += [self._part(mail, how, *one) for one in _PART.findall(asked)]
        line = b"* %d FETCH (%s)\r\n" % (place, b" ".join(parts))
        return line[:-200] if how == CUT else line

    def _part(self, mail: Mail, how: str, section: str, first: str, most: str) -> bytes:
        head, _, body = mail.raw.partition(b"\r\n\r\n")
        data = {"HEADER": head + b"\r\n\r\n", "TEXT": body}.get(section, mail.raw)
        name = f"BODY[{section}]"
        if most:
            data = data[int(first) : int(first) + int(most)]
            name += f"<{first}>"
        if how == "nil":
            return f"{name} NIL".encode()
        if how in ("half", "zero"):
            data = data[: len(data) // 2] if how == "half" else b""
        return f"{name} {{{len(data)}}}\r\n".encode() + data

    def _store(self, _how: str) -> bytes:
        for uid in self._named():
            self.folder.mails[uid].deleted = True
        return b""

    def _copy(self, _how: str) -> bytes:
        target = self.server.folders[_last_word(self.arguments)]
        for uid in self._named():
            target.put(Mail(self.folder.mails[uid].raw, self.folder.mails[uid].at))
        return b""

    def _move(self, how: str) -> bytes:
        self._copy(how)
        return self._gone(self._named())

    def _expunge(self, _how: str) -> bytes:
        return self._gone([uid for uid in self._named() if self.folder.mails[uid].deleted])

    def _gone(self, uids: Iterable[int]) -> bytes:
        told = b""
        for uid in uids:
            told += b"* %d EXPUNGE\r\n" % (sorted(self.folder.mails).index(uid) + 1)
            del self.folder.mails[uid]
        return told

    def _append(self, _how: str) -> bytes:
        head, _, rest = self.arguments.partition("\0")
        raw = rest.rpartition("\0")[0].encode("latin-1")
        folder = self.server.folders[head.split()[0].strip('"')]
        folder.put(Mail(raw, self.server.breaker.clock.now()))
        return b""


_PART = re.compile(r"BODY(?:\.PEEK)?\[(\w*)\](?:<(\d+)\.(\d+)>)?")


def _wrong_date(how: str) -> str:
    return "00-Jan-0000 00:00:00 +0000" if how == "zero date" else ""


def _last_word(arguments: str) -> str:
    return arguments.rsplit(maxsplit=1)[-1].strip('"')

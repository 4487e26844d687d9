"""Scripted IMAP and SMTP servers, for the faults that real ones don't show on demand."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator, Mapping

HOST = "127.0.0.1"
DROP = b"(drop)"
"""As an answer: close the connection without a word."""
STALL = b"(stall)"
"""As an answer: say nothing and keep the connection open."""

IMAP = {
    "CAPABILITY": b"* CAPABILITY IMAP4rev1 IDLE\r\n%s OK done\r\n",
    "LOGIN": b"%s OK in\r\n",
    "AUTHENTICATE": b"+ \r\n",
    "RESPONSE": b"%s OK in\r\n",
    "SELECT": b"* 1 EXISTS\r\n* OK [UIDVALIDITY 7] valid\r\n%s OK [READ-WRITE] done\r\n",
    "UID SEARCH": b"* SEARCH 5\r\n%s OK done\r\n",
    "UID FETCH SIZE": b'* 1 FETCH (UID 5 RFC822.SIZE 2 INTERNALDATE "06-May-2031 09:08:09 +0200")'
    b"\r\n%s OK done\r\n",
    "UID FETCH BODY": b"* 1 FETCH (UID 5 BODY[] {2}\r\nhi)\r\n%s OK done\r\n",
    "UID COPY": b"%s OK done\r\n",
    "UID STORE": b"%s OK done\r\n",
    "EXPUNGE": b"%s OK done\r\n",
    "IDLE": b"+ idling\r\n",
    "DONE": b"%s OK done\r\n",
    "LOGOUT": b"* BYE bye\r\n%s OK done\r\n",
}
"""The answers of a server that works, by command; ``%s`` stands for the tag."""

SMTP = {
    "GREETING": b"220 here\r\n",
    "EHLO": b"250-here\r\n250 AUTH PLAIN\r\n",
    "AUTH": b"235 in\r\n",
    "MAIL": b"250 fine\r\n",
    "RCPT": b"250 fine\r\n",
    "DATA": b"354 go on\r\n",
    ".": b"250 taken\r\n",
    "NOOP": b"250 here\r\n",
    "RSET": b"250 fine\r\n",
    "QUIT": b"221 bye\r\n",
}
"""The answers of a server that works, by command; "." is the end of a mail."""

Talk = Callable[[socket.SocketIO, Mapping[str, bytes], list[str]], None]


@contextlib.contextmanager
def scripted(talk: Talk, answers: Mapping[str, bytes]) -> Iterator[tuple[int, list[str]]]:
    """Run a server; give its port and the list that the commands it hears are put into."""
    heard: list[str] = []
    listener = socket.create_server((HOST, 0))
    clients: list[socket.socket] = []

    def serve() -> None:
        with contextlib.suppress(OSError):  # the listener is closed when the test is over
            while True:
                client, _ = listener.accept()
                clients.append(client)
                with client, client.makefile("rwb", buffering=0) as stream:
                    with contextlib.suppress(OSError):
                        talk(stream, answers, heard)
                    with contextlib.suppress(OSError):
                        client.shutdown(socket.SHUT_RDWR)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield int(listener.getsockname()[1]), heard
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for client in clients:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def talk_imap(stream: socket.SocketIO, answers: Mapping[str, bytes], heard: list[str]) -> None:
    """Speak IMAP, as far as the answers go."""
    stream.write(answers.get("GREETING", b"* OK ready\r\n"))
    tag, command = b"", ""
    for line in stream:
        words = line.split()
        if command == "AUTHENTICATE":
            heard.append(line.decode().strip())
            command = "RESPONSE"
        elif line.strip().upper() == b"DONE":
            command = "DONE"
        else:
            tag, command = words[0], words[1].decode().upper()
        if command == "UID":
            command = f"UID {words[2].decode().upper()}"
        if command == "UID FETCH":
            command += " BODY" if b"BODY" in line else " SIZE"
        heard.append(command)
        if command == "APPEND":
            stream.write(b"+ go on\r\n")
            left = int(line.rpartition(b"{")[2].partition(b"}")[0]) + len(b"\r\n")
            while left and (read := stream.read(left)):
                left -= len(read)
        if not _answer(stream, answers[command].replace(b"%s", tag)):
            return


def talk_smtp(stream: socket.SocketIO, answers: Mapping[str, bytes], heard: list[str]) -> None:
    """Speak SMTP, as far as the answers go."""
    if not _answer(stream, answers["GREETING"]):
        return
    in_data = False
    for line in stream:
        if in_data and line != b".\r\n":
            heard.append(line.decode().rstrip("\r\n"))
            continue
        command = "." if in_data else (line.split() or [b"RESPONSE"])[0].decode().upper()
        heard.append(command)
        if not _answer(stream, answers[command]):
            return
        in_data = command == "DATA" and answers[command].startswith(b"354")


def _answer(stream: socket.SocketIO, answer: bytes) -> bool:
    if answer.startswith(DROP):
        return False
    if answer != STALL:
        stream.write(answer.removesuffix(DROP))
    return not answer.endswith(DROP)

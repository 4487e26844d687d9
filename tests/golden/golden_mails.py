"""Mails of a golden conversation: those that come in are written, those that went out printed."""

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from email.header import decode_header, make_header
from email.utils import format_datetime

from tests.golden.golden_labels import Labels
from tests.golden.golden_postroom import GM_BOX, Sent

_FILL = re.compile(r"@FILL ([0-9]+)@")
_CUT = 100


def written(  # noqa: PLR0913 - each is a part of a mail, named at the call
    name: str,
    address: str,
    body: Sequence[str],
    *,
    number: int,
    date: datetime,
    answered: Sent | None,
    threaded: bool,
) -> bytes:
    """Return a mail as a plain program writes it.

    Lines of the body that begin with ``+`` are further header fields. ``@FILL n@`` is n letters.
    """
    to = (answered.header("Reply-To") if answered else "") or f"Grace <{GM_BOX}>"
    subject = f"Re: {answered.header('Subject')}" if answered else "Orders"
    more = [line.removeprefix("+").strip() for line in body if line.startswith("+")]
    head = [
        f"Return-Path: <{address}>",
        f"From: {name} <{address}>",
        f"To: {to}",
        *([] if any(line.startswith("Subject:") for line in more) else [f"Subject: {subject}"]),
        f"Date: {format_datetime(date)}",
        f"Message-ID: <{name.lower()}-{number}@example.org>",
    ]
    if answered and threaded:
        identifier = answered.header("Message-ID")
        thread = f"{answered.header('References')} {identifier}".strip()
        head += [f"In-Reply-To: {identifier}", f"References: {thread}"]
    if not any(line.lower().startswith("content-type:") for line in more):
        more.append("Content-Type: text/plain; charset=utf-8")
    lines = [line for line in body if not line.startswith("+")]
    text = "\r\n".join([*head, *more, "", *lines, ""])
    return _FILL.sub(lambda found: _letters(int(found[1])), text).encode()


def _letters(count: int) -> str:
    """Return so many letters on lines of 70."""
    return "\r\n".join("x" * min(70, count - at) for at in range(0, count, 70))


def filled(raw: bytes, answered: Sent | None) -> bytes:
    """Return a mail of a file with the token and the Message-ID of the mail that it answers."""
    if answered is None:
        return raw
    token = re.search(r"\+(\w+)@|\[postal (\w+)\]", str(answered.message))
    found = next(filter(None, token.groups())) if token else ""
    identifier = answered.header("Message-ID").encode()
    return raw.replace(b"@TOKEN@", found.encode()).replace(b"@REPORT-ID@", identifier)


def printed(sent: Sent, labels: Labels, number: int, shown: Collection[str]) -> Iterator[str]:
    """Yield the lines of a mail that went out: envelope, header, and each part decoded.

    Of an HTML part the hash alone, unless the recipient is one of ``shown``.
    """
    message = sent.message
    yield f"---- mail {number}, {sent.sender} to {sent.recipient} ".ljust(_CUT, "-")
    for name, value in message.raw_items():
        yield f"{name}: {value}"
        if "=?" in value:
            yield f"({name}: {make_header(decode_header(value))})"
    for part in message.walk():
        if part.is_multipart():
            continue
        data = part.get_payload(decode=True)
        assert isinstance(data, bytes)
        text = labels.put(data.decode(part.get_content_charset("ascii")).replace("\r\n", "\n"))
        # The preamble that a part's own fields make; those of a mail of one part stand above.
        own = "" if part is message else ", ".join(str(value) for value in part.values())
        yield f"---- {own or 'text'} ".ljust(_CUT, "-")
        if part.get_content_type() == "text/html" and sent.recipient not in shown:
            yield f"(sha256 {hashlib.sha256(text.encode()).hexdigest()})"
        else:
            yield from text.removesuffix("\n").split("\n")

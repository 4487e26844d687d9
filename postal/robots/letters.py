"""How an answer is laid out by hand, and what every mail of a robot is made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.headerregistry import HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from postal.robots.reports import Letterhead

WIDTH = 76
"""How long a line of plain text is at most before a mail program breaks it."""

_HEADERS = HeaderRegistry()
# The library's own type fails on an Exchange server's brackets.
_HEADERS.map_to_type("message-id", UnstructuredHeader)  # type: ignore[arg-type]  # a mixin
POLICY = SMTP.clone(max_line_length=998, header_factory=_HEADERS)
"""How a robot's mails are written out: CRLF, no header folded."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What an answer is made of: lines with their tables, what it answers, who writes and when."""

    lines: Sequence[tuple[str, str]] = field(repr=False)
    head: Letterhead
    name: str
    address: str
    date: datetime
    message_id: str

    @property
    def texts(self) -> list[str]:
        """The lines without their tables."""
        return [text for _, text in self.lines]

    @property
    def quoted(self) -> list[str]:
        """The mail that is answered, below a line that says whose it is, each behind a ``>``."""
        head = self.head
        said = f"{head.date:%a, %d %b %Y at %H:%M}, {head.sender_name} <{head.answer_to}>"
        lines = [f"> {line}".rstrip() for line in head.text.splitlines()]
        return [f"On {said} wrote:", *lines]


Layout = Callable[[Draft], EmailMessage]


def headed(draft: Draft, reply: str = "Re", *, bracketed_id: bool = False) -> EmailMessage:
    """Return the mail without its words, its subject begun in a mail program's way."""
    message = EmailMessage(policy=POLICY)
    head = draft.head
    subject = f"{reply}: {head.subject.removeprefix('Re: ')}"
    _address(message, f'"{draft.name}" <{draft.address}>', head.answer_to, subject, draft.date)
    left, at, domain = draft.message_id.strip("<>").partition("@")
    message["Message-ID"] = f"<[{left}]{at}{domain}>" if bracketed_id else draft.message_id
    message["In-Reply-To"] = head.message_id
    message["References"] = f"{head.references} {head.message_id}".strip()
    return message


def put_text(
    message: EmailMessage, body: Sequence[str], charset: str, encoding: str, **params: str
) -> None:
    """Set lines as a mail's plain text; what a charset has not becomes a question mark."""
    text = "\n".join([*body, ""]).encode(charset, "replace").decode(charset)
    message.set_content(text, charset=charset, cte=encoding, params=params)


def bare(draft: Draft) -> EmailMessage:
    """Lay out the lines and nothing else."""
    return _plain(draft, draft.texts)


def inline(draft: Draft) -> EmailMessage:
    """Lay out each line below the quoted example that it is made from."""
    by_table = dict(draft.lines)
    body = []
    quoted = draft.quoted
    for at, line in enumerate(quoted):
        body.append(line)
        mark, _, example = line.partition(":: ")
        following = quoted[at + 1] if at + 1 < len(quoted) else ""
        if mark == "> " and not following.startswith(f"> :: {example[:2]}"):
            text = by_table.pop(example[:1], None)
            body += ["", text, ""] if text else []
    return _plain(draft, [*body, "", *by_table.values()])


def chatty(draft: Draft) -> EmailMessage:
    """Lay out the lines between prose, with a signature that looks like an order itself."""
    body = [
        "Hi,",
        "",
        "what a mess of a hand again. I thought of folding, but a call would be silly",
        "and I'd rather see it through. So:",
        "",
        *draft.texts,
        "",
        "Give my love to everybody. See you next turn!",
        "",
        "-- ",
        draft.name,
        "A: fold, B: fold, C: fold -- the story of my life",
    ]
    return _plain(draft, body)


def windows(draft: Draft) -> EmailMessage:
    """Lay out in windows-1252, where the pound sign is one byte."""
    return _plain(draft, [*draft.texts, "", "Cheers", draft.name], "windows-1252", "8bit")


def in_pairs(draft: Draft) -> EmailMessage:
    """Lay out two lines on one."""
    texts = draft.texts
    return _plain(draft, ["; ".join(texts[at : at + 2]) for at in range(0, len(texts), 2)])


def by_link(draft: Draft) -> EmailMessage:
    """Lay out as a report's mailto link does: all on one line of a new mail that answers none."""
    message = EmailMessage(policy=POLICY)
    sender = f'"{draft.name}" <{draft.address}>'
    _address(message, sender, draft.head.answer_to, "orders", draft.date)
    message["Message-ID"] = draft.message_id
    put_text(message, ["; ".join([*draft.texts, ""]).rstrip()], "utf-8", "8bit")
    return message


def out_of_office(draft: Draft) -> EmailMessage:
    """Return an automatic answer (RFC 3834), which orders nothing whatever it says."""
    message = _plain(
        draft,
        ["I am out of the office and back on Monday. If it is urgent:", "", *draft.texts],
    )
    message.replace_header("Subject", f"Automatic reply: {draft.head.subject}")
    message["Auto-Submitted"] = "auto-replied"
    message["Precedence"] = "bulk"
    return message


def forged(name: str, address: str, mailbox: str, date: datetime) -> EmailMessage:
    """Return a mail in a player's name by somebody who has no token: it must change nothing."""
    message = EmailMessage(policy=POLICY)
    _address(message, f'"{name}" <{address}>', mailbox, "My orders", date)
    message["Message-ID"] = f"<forged@{address.partition('@')[2]}>"
    message.set_content(f"A: fold\nB: fold\nC: fold\n\nYours, {name} (really!)\n")
    return message


def _plain(
    draft: Draft, body: Sequence[str], charset: str = "utf-8", cte: str = "8bit"
) -> EmailMessage:
    message = headed(draft)
    put_text(message, body, charset, cte)
    return message


def _address(message: EmailMessage, sender: str, to: str, subject: str, date: datetime) -> None:
    message["From"] = sender
    message["To"] = to
    message["Subject"] = subject
    message["Date"] = format_datetime(date)

"""How people's programs lay out an answer: quoting, HTML, character sets, signatures."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from postal.robots.reports import Letterhead

_POLICY = SMTP.clone(max_line_length=998)
_BODY = re.compile(r"<body[^>]*>(?P<inner>.*)</body>", re.DOTALL | re.IGNORECASE)
_FLOW = 60


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
        """The mail that is answered, each line behind a ``>``."""
        return [f"> {line}".rstrip() for line in self.head.text.splitlines()]

    def attribution(self, said: str = "On {when}, {who} wrote:", when: str = "") -> str:
        """Return the line in which a program says whom it quotes."""
        day = when or f"{self.head.date:%a, %d %b %Y at %H:%M}"
        return said.format(when=day, who=f"{self.head.sender_name} <{self.head.answer_to}>")


Layout = Callable[[Draft], EmailMessage]


def bare(draft: Draft) -> EmailMessage:
    """Lay out the lines and nothing else."""
    return _plain(draft, draft.texts)


def bottom_posted(draft: Draft) -> EmailMessage:
    """Lay out the whole mail quoted, and the answer below."""
    return _plain(draft, [draft.attribution(), *draft.quoted, "", *draft.texts])


def inline(draft: Draft) -> EmailMessage:
    """Lay out each line below the quoted example that it is made from."""
    by_table = dict(draft.lines)
    body = [draft.attribution()]
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


def gmail(draft: Draft) -> EmailMessage:
    """Lay out as Gmail on the web does: text with a quote, and the same as HTML."""
    # Gmail breaks the attribution before its last word.
    said = draft.attribution().removesuffix(" wrote:")
    message = _plain(draft, [*draft.texts, "", said, "wrote:", "", *draft.quoted])
    message.add_alternative(_gmail_html(draft), subtype="html", cte="quoted-printable")
    message.set_boundary(f"=_{draft.message_id[1:21]}")  # the library's would be random
    return message


def html_only(draft: Draft) -> EmailMessage:
    """Lay out as HTML without any plain text."""
    return _html(draft, _gmail_html(draft))


def outlook_html(draft: Draft) -> EmailMessage:
    """Lay out as Outlook's HTML does, the answered mail below a rule."""
    lines = "".join(
        f'<p class="MsoNormal"><span lang="EN-GB">{html.escape(text)}<o:p></o:p></span></p>'
        for text in draft.texts
    )
    head = "".join(
        f"<b>{name}:</b> {html.escape(value)}<br>" for name, value in _header_block(draft, "en")
    )
    below = f'<hr><div id="divRplyFwdMsg" dir="ltr"><font>{head}</font></div>{_inner(draft)}'
    content = f'<html><body lang="EN-GB"><div class="WordSection1">{lines}</div>{below}</body>'
    return _html(draft, f"{content}</html>")


def outlook_german(draft: Draft) -> EmailMessage:
    """Lay out as a German Outlook does: header block and unquoted mail below the answer."""
    block = [f"{name}: {value}" for name, value in _header_block(draft, "de")]
    original = ["", "-----Ursprüngliche Nachricht-----", *block, "", *draft.head.text.splitlines()]
    return _plain(draft, [*draft.texts, "", "Gruß", draft.name, *original], "iso-8859-15", "8bit")


def german(draft: Draft) -> EmailMessage:
    """Lay out below a German attribution and quote."""
    when = f"{draft.head.date:%d.%m.%y} um {draft.head.date:%H:%M}"
    said = draft.attribution("Am {when} schrieb {who}:", when)
    return _plain(draft, [said, *draft.quoted, "", "Moin,", "", *draft.texts, "", "LG", draft.name])


def french(draft: Draft) -> EmailMessage:
    """Lay out above a French attribution and quote, as base64."""
    when = f"{draft.head.date:%d/%m/%Y} à {draft.head.date:%H:%M}"
    said = draft.attribution("Le {when}, {who} a écrit :", when)
    body = ["Bonjour à tous,", "", *draft.texts, "", "Amitiés,", draft.name, "", said]
    return _plain(draft, [*body, *draft.quoted], "utf-8", "base64")


def iphone(draft: Draft) -> EmailMessage:
    """Lay out as a telephone does."""
    said = draft.attribution("On {when}, {who} wrote:", f"{draft.head.date:%d %b %Y, at %H:%M}")
    quote = ["", "Sent from my iPhone", "", f"> {said}", ">", *draft.quoted]
    return _plain(draft, [*draft.texts, *quote], cte="quoted-printable")


def windows(draft: Draft) -> EmailMessage:
    """Lay out in windows-1252, where the pound sign is one byte."""
    return _plain(draft, [*draft.texts, "", "Cheers", draft.name], "windows-1252", "8bit")


def flowed(draft: Draft) -> EmailMessage:
    """Lay out as format=flowed (RFC 3676): long lines broken behind a space."""
    body = [piece for text in draft.texts for piece in _flow(text)]
    stuffed = [f" {line}" for line in draft.quoted]  # a quote typed by hand, made no quote
    body += ["", draft.attribution(), *draft.quoted, *stuffed[:1]]
    return _plain(draft, body, cte="8bit", format="flowed", delsp="no")


def encoded(draft: Draft) -> EmailMessage:
    """Lay out as UTF-8 in quoted-printable."""
    return _plain(draft, [*draft.texts, "", f"— {draft.name}"], cte="quoted-printable")


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
    message = EmailMessage(policy=_POLICY)
    _address(message, f'"{name}" <{address}>', mailbox, "My orders", date)
    message["Message-ID"] = f"<forged@{address.partition('@')[2]}>"
    message.set_content(f"A: fold\nB: fold\nC: fold\n\nYours, {name} (really!)\n")
    return message


def _plain(
    draft: Draft, body: Sequence[str], charset: str = "utf-8", cte: str = "8bit", **params: str
) -> EmailMessage:
    message = _headed(draft)
    text = "\n".join([*body, ""]).encode(charset, "replace").decode(charset)
    message.set_content(text, charset=charset, cte=cte, params=params)
    return message


def _html(draft: Draft, content: str) -> EmailMessage:
    message = _headed(draft)
    message.set_content(content, subtype="html", cte="quoted-printable")
    return message


def _headed(draft: Draft) -> EmailMessage:
    message = EmailMessage(policy=_POLICY)
    head = draft.head
    subject = f"Re: {head.subject.removeprefix('Re: ')}"
    _address(message, f'"{draft.name}" <{draft.address}>', head.answer_to, subject, draft.date)
    message["Message-ID"] = draft.message_id
    message["In-Reply-To"] = head.message_id
    message["References"] = f"{head.references} {head.message_id}".strip()
    return message


def _address(message: EmailMessage, sender: str, to: str, subject: str, date: datetime) -> None:
    message["From"] = sender
    message["To"] = to
    message["Subject"] = subject
    message["Date"] = format_datetime(date)


def _gmail_html(draft: Draft) -> str:
    lines = "".join(f"<div>{html.escape(text)}</div>" for text in draft.texts)
    said = html.escape(draft.attribution())
    return (
        f'<div dir="ltr">{lines}</div><br><div class="gmail_quote">'
        f'<div dir="ltr" class="gmail_attr">{said}<br></div>'
        f'<blockquote class="gmail_quote" style="margin:0 0 0 0.8ex">{_inner(draft)}</blockquote>'
        "</div>"
    )


def _inner(draft: Draft) -> str:
    """Return the answered mail as HTML without its frame."""
    found = _BODY.search(draft.head.html)
    return found["inner"] if found else f"<pre>{html.escape(draft.head.text)}</pre>"


def _header_block(draft: Draft, language: str) -> list[tuple[str, str]]:
    names = {
        "en": ("From", "Sent", "To", "Subject"),
        "de": ("Von", "Gesendet", "An", "Betreff"),
    }[language]
    head = draft.head
    sender = f"{head.sender_name} <{head.answer_to}>"
    values = (sender, f"{head.date:%d.%m.%Y %H:%M}", head.recipient, head.subject)
    return list(zip(names, values, strict=True))


def _flow(text: str) -> list[str]:
    """Return a line as flowed pieces, each but the last ending in a space."""
    pieces = [""]
    for word in text.split(" "):
        if len(pieces[-1]) + len(word) > _FLOW:
            pieces.append("")
        pieces[-1] += f"{word} "
    return [*pieces[:-1], pieces[-1].rstrip()]

"""How a mail program lays out an answer, from what the table of programs says of it."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage
from functools import partial
from typing import Literal

from postal.robots import letters
from postal.robots.clients_languages import LANGUAGES, Language
from postal.robots.letters import Draft, Layout

_STUB = "This message is in HTML format. Please use a mail program that shows HTML."
_BODY = re.compile(r"<body[^>]*>(?P<inner>.*)</body>", re.DOTALL | re.IGNORECASE)
_FLOW = 60


@dataclass(frozen=True, slots=True)
class Client:
    """A mail program.

    ``said`` is its attribution: a pattern, or the name of a language's; without one the quote
    begins with a header block below ``rule``. ``mark`` stands before each quoted line, before the
    attribution too where that is ``inside``; ``below`` answers under the quote. ``text`` is
    whether it sends the words as text, only a stub of one, or none. ``page``, empty where it sends
    text alone, is its HTML with ``{lines}`` (each in ``line``), ``{signature}``, ``{said}``,
    ``{block}`` (of ``row`` each), ``{original}``, and ``{inner}`` or ``{document}``, the answered
    mail without its frame or with it. An empty ``reply`` is the language's.
    """

    said: str = ""
    rule: str = ""
    mark: str = "> "
    inside: bool = False
    below: bool = False
    signature: str = ""
    charset: str = "utf-8"
    encoding: str = "quoted-printable"
    text: Literal["words", "stub", ""] = "words"
    line: str = "<div>{}</div>"
    row: str = "<b>{}:</b> {}<br>"
    page: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict)
    reply: str = "Re"
    flowed: bool = False
    bracketed_id: bool = False


def layout(client: Client, language: str = "en") -> Layout:
    """Return the layout of a program that speaks a language of ``LANGUAGES``."""
    return partial(_lay_out, client, LANGUAGES[language])


def text_lines(client: Client, language: Language, draft: Draft) -> list[str]:
    """Return the lines of an answer's plain text, without any encoding."""
    mine = draft.texts
    if client.flowed:
        mine = [piece for text in mine for piece in flow(text)]
    if client.signature:
        mine = [*mine, "", *_signature(client, language).split("\n")]
    said = _attribution(client, language, draft)
    if said:
        start = said.replace(" <", " <\n", 1) if len(said) > letters.WIDTH else said
        opening = [f"{client.mark}{start}", client.mark] if client.inside else [*start.split("\n")]
    else:
        block = [f"{name}: {value}" for name, value in language.header_block(draft.head)]
        rule = client.rule.format(language.original)
        opening = [*([rule] if rule else []), *block, ""]
    quote = [*opening, *(f"{client.mark}{one}".rstrip() for one in draft.head.text.splitlines())]
    return [*quote, "", *mine] if client.below else [*mine, "", *quote]


def flow(text: str) -> list[str]:
    """Return a line as flowed pieces (RFC 3676), each but the last ending in a space."""
    pieces = [""]
    for word in text.split(" "):
        if len(pieces[-1]) + len(word) > _FLOW:
            pieces.append("")
        pieces[-1] += f"{word} "
    return [*pieces[:-1], pieces[-1].rstrip()]


def _lay_out(client: Client, language: Language, draft: Draft) -> EmailMessage:
    reply = client.reply or language.reply
    message = letters.headed(draft, reply, bracketed_id=client.bracketed_id)
    if client.text:
        words = text_lines(client, language, draft) if client.text == "words" else [_STUB]
        flowed = {"format": "flowed"} if client.flowed else {}
        letters.put_text(message, words, client.charset, client.encoding, **flowed)
    if client.page:
        page = _page(client, language, draft).encode(client.charset, "xmlcharrefreplace")
        put = message.add_alternative if client.text else message.set_content
        put(page.decode(client.charset), "html", charset=client.charset, cte=client.encoding)
    # Setting the words would take the Content-Language away.
    for name, value in client.headers.items():
        message[name] = value
    if message.is_multipart():
        message.set_boundary(f"=_{draft.message_id[1:21]}")  # the library's would be random
    return message


def _page(client: Client, language: Language, draft: Draft) -> str:
    found = _BODY.search(draft.head.html)
    block = language.header_block(draft.head)
    return client.page.format(
        lines="\n".join(client.line.format(html.escape(text)) for text in draft.texts),
        signature=html.escape(_signature(client, language)).replace("\n", "<br>"),
        said=html.escape(_attribution(client, language, draft)),
        block="\n".join(client.row.format(name, html.escape(value)) for name, value in block),
        original=language.original,
        inner=found["inner"] if found else f"<pre>{html.escape(draft.head.text)}</pre>",
        document=draft.head.html,
        mid=html.escape(draft.head.message_id.strip("<>")),
    )


def _attribution(client: Client, language: Language, draft: Draft) -> str:
    of_languages = {
        "gmail": language.gmail,
        "thunderbird": language.thunderbird,
        "apple": language.apple,
    }
    return language.say(of_languages.get(client.said, client.said), draft.head)


def _signature(client: Client, language: Language) -> str:
    return language.iphone if client.signature == "iphone" else client.signature

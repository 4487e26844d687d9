"""Makes mails of every shape that clients make, of which it is known what their writer ordered."""

import base64
import html
import quopri
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from postal.ordertext import MARKER

BARE = "A: raise 7007"
"""What is quoted, attached or hidden is a raise to a sum that ends in 7: nobody orders one."""


@dataclass(frozen=True)
class Made:
    """A mail, the canonical lines of the orders in it, and whether all of them must be read."""

    raw: bytes = field(repr=False)
    own: tuple[str, ...]
    whole: bool


Pick = random.Random
Rows = list[str]

PROSE = (
    "Hello Roger,", "what a hand!", "", "Thanks for running this.", "See you on Sunday",
    "I can't believe Puke stayed.", "Grüße aus Köln, bis bald…", "Sent from my iPhone",
    "On On On On On", "https://example.org/?a=b&c=d", "😀 👍🏽", "All the best", "I am not sure.",
    "From here on it gets interesting.", "- - -", "=====", "A friend of mine said hello", "x" * 120,
)  # fmt: skip
ATTRIBUTIONS = (
    "On Mon, 5 May 2031 at 18:00, Roger <gm@example.org> wrote:",
    "Am 05.05.2031 um 18:00 schrieb Roger:", "Le lun. 5 mai 2031 à 18:00, Roger a écrit :",
    "El lun, 5 may 2031 a las 18:00, Roger escribió:", "Il giorno lun 5 mag 2031 Roger ha scritto:",
    "Op ma 5 mei 2031 om 18:00 schreef Roger:", "pon., 5 maj 2031 Roger napisał(a):",
    "Em seg., 5 de mai. de 2031, Roger escreveu:", "Den mån 5 maj 2031 skrev Roger:",
)  # fmt: skip
HEADER_BLOCKS = (
    ("From: Roger", "Sent: Monday", "To: Joe", "Subject: club"),
    ("Von: Roger", "Gesendet: Montag", "An: Joe", "Betreff: club"),
    ("De : Roger", "Envoyé : lundi", "À : Joe", "Objet : club"),
    ("De: Roger", "Enviado el: lunes", "Para: Joe", "Asunto: club"),
    ("Da: Roger", "Inviato: lunedì", "A: Joe", "Oggetto: club"),
    ("Van: Roger", "Verzonden: maandag", "Aan: Joe", "Onderwerp: club"),
    ("Od: Roger", "Wysłano: poniedziałek", "Do: Joe", "Temat: club"),
    ("Från: Roger", "Skickat: måndag", "Till: Joe", "Ämne: club"),
    ("*From:* Roger", "*Date:* Monday", "*To:* Joe"),
)  # fmt: skip
ORIGINALS = (
    "-----Original Message-----", "-----Ursprüngliche Nachricht-----", "-- ", "--",
    "-------- Original Message --------", "---------- Forwarded message ---------", MARKER,
)  # fmt: skip
CHARSETS = ("utf-8", "utf-8", "cp1252", "iso-8859-1", "utf-16", "iso-8859-15", "cp1250")
NAMED = ("utf-8", "x-unknown", "", "us-ascii", "iso-8859-1", "UTF8", '"utf-8"', "base64", "idna")


def foreign(pick: Pick) -> str:
    """Return an order that must never be read."""
    return f"{pick.choice('ABC')}: raise {pick.randrange(1, 900) * 10 + 7}"


def order(pick: Pick) -> tuple[str, str]:
    """Return an order as somebody writes it, and its canonical line."""
    table, thousands = pick.choice("ABC"), pick.randrange(1, 90)
    canonical, spellings = pick.choice(
        (
            (
                f"raise {thousands}000",
                (f"raise £{thousands},000", f"bet {thousands}k", f"r {thousands}000"),
            ),
            ("stay", ("stay.", "STAY", "Stay")),
            ("fold", ("fold!", "Fold", "fold")),
            ("expose 9H", ("expose 9H", "show nine of hearts", "expose 9♥")),
            (
                "give 2C 5D next, 9H previous",
                ("give 2C 5D next, 9H previous", "2c 5d left / 9h right"),
            ),
            ("give 2C next, 5D 9H previous", ("give 2C to Puke, 5D 9H to Joe",)),
        )
    )
    spelled = pick.choice((canonical, *spellings))
    head = pick.choice(
        (f"{table}: ", f"{table} ", f"Table {table}: ", f"{table.lower()}) ", f"* {table}: ")
    )
    return head + spelled, f"{table}: {canonical}"


def quoted(pick: Pick) -> Rows:
    """Return rows each of which is marked as quoted."""
    mark = pick.choice(("> ", ">", ">> ", "> > ", "| ", ":: ", " > ", ">\u00a0", "R> "))
    rows = [
        pick.choice((foreign(pick), pick.choice(PROSE)[:60])) for _ in range(pick.randrange(1, 5))
    ]
    attribution = [pick.choice(ATTRIBUTIONS)] if pick.random() < 0.7 else []
    return [*attribution, *(f"{mark}{row}" for row in rows)]


def block(pick: Pick) -> Rows:
    """Return press or a note to the GM with an order in it."""
    return [pick.choice(("press:", "gm:", "Press: well")), foreign(pick), "some words", "end"]


def tail(pick: Pick) -> Rows:
    """Return what a client puts below a mail, unquoted, with orders in it."""
    heads: Sequence[str] = pick.choice((*((one,) for one in ORIGINALS), *HEADER_BLOCKS, ("end",)))
    return [*heads, "", *(foreign(pick) for _ in range(pick.randrange(1, 4)))]


def rows(pick: Pick) -> tuple[Rows, list[str]]:
    """Return the rows of a plain text and the orders in it."""
    found: Rows = []
    own: list[str] = []
    for _ in range(pick.randrange(1, 7)):
        kind = pick.random()
        if kind < 0.45:
            written, canonical = order(pick)
            found.append(written)
            own.append(canonical)
        elif kind < 0.75:
            found.append(pick.choice(PROSE))
        else:
            found += ["", *(quoted if kind < 0.92 else block)(pick), ""]
    if pick.random() < 0.5:
        found += ["", *tail(pick)]
    return found, own


UNSAID = (
    "<blockquote cite='mid:x'>{}</blockquote>",
    "<blockquote type='cite'><p>{0}<br>{0}</p></blockquote>",
    "<div class='gmail_quote'><p class='gmail_attr'>Bo:</p><blockquote>{}</blockquote></div>",
    "<!-- {} -->", "<style>{}</style>", "<script>{}</script>", "<title>{}</title>",
    "<s>{}</s>", "<del>{}</del>", "<p style='text-decoration: line-through'>{}</p>",
    "<img alt='{}'>", "<p title='{}'>hello</p>", "<div id='x_yahoo_quoted'>{}</div>",
    "<p>x</p><html><body>{}</body></html>", "<div style='display:none'>{}</div>",
    "<div hidden>{}</div>", "<p style='visibility: hidden'>{}</p>", "<template>{}</template>",
    "<td style='mso-hide:all'>{}</td>",
)  # fmt: skip
"""HTML that quotes, hides or takes back what stands in it."""

SHAPES = (
    "<p>{}</p>", "<div>{}</div>", "{}<br>", "<li>{}</li>", "<p><b>{}</b></p>",
    "<table><tr><td>{}</td></tr></table>", "<div><span>{}</span></div>", "<div>{}<br></div>",
)  # fmt: skip
STARTS = ("appendonsend", "divRplyFwdMsg", "x_divRplyFwdMsg")


def html_text(pick: Pick) -> tuple[str, list[str]]:
    """Return an HTML body and the orders in it."""
    found: Rows = []
    own: list[str] = []
    for _ in range(pick.randrange(1, 6)):
        kind = pick.random()
        if kind < 0.5:
            written, canonical = order(pick)
            written = written.removeprefix("* ")
            own.append(canonical)
            inner = html.escape(written)
            shape = pick.choice(SHAPES)
            found.append(f"<div></div>{shape.format(inner)}<div></div>")
        elif kind < 0.7:
            found.append(f"<p>{html.escape(pick.choice(PROSE))}</p>")
        else:
            found.append(pick.choice(UNSAID).format(foreign(pick)))
    if pick.random() < 0.4:
        found.append(f"<div id='{pick.choice(STARTS)}'></div>")
        found += [f"<div>{foreign(pick)}</div>", f"<p>{foreign(pick)}</p>"]
    body = "".join(found)
    return pick.choice(("<html><body>{}</body></html>", "{}", "<!DOCTYPE html><body>{}")).format(
        body
    ), own


SUBJECTS = ("=?utf-8?q?A=3A_raise_7?=", "=?x?b?!?=", "", "=?utf-8?b?QTogZm9sZA==?= " * 20)
Part = tuple[list[str], bytes]


def leaf(pick: Pick, kind: str, text: str, extra: str = "") -> tuple[Part, bool]:
    """Return a text part, encoded in some way, and whether all of it can be read for certain."""
    charset = pick.choice(CHARSETS)
    eol = pick.choice(("\r\n", "\n", "\n"))
    text = text.replace("\n", eol)
    try:
        data = text.encode(charset)
    except UnicodeEncodeError:
        charset = "utf-8"
        data = text.encode()
    certain = charset != "utf-16" or eol == "\n"
    named = charset
    if pick.random() < 0.15:
        named, certain = pick.choice(NAMED), False
    encodings: list[tuple[str, Callable[[bytes], bytes]]] = [
        ("quoted-printable", quopri.encodestring),
        ("base64", base64.encodebytes),
    ]
    if charset != "utf-16":
        encodings += [(name, bytes) for name in ("8bit", "7bit", "", "binary")]
    encoding, encode = pick.choice(encodings)
    heads = [f"Content-Type: {kind}" + (f"; charset={named}" if named else "") + extra]
    if encoding:
        heads.append(f"Content-Transfer-Encoding: {encoding}")
    return (heads, encode(data)), certain


def joined(pick: Pick, kind: str, parts: Sequence[Part]) -> Part:
    """Return parts as one, with orders before, between and behind that nobody sees."""
    boundary = f"b{pick.randrange(10**9)}"
    out = [f"{foreign(pick)}\n".encode() if pick.random() < 0.3 else b""]
    for heads, data in parts:
        out.append(f"--{boundary}\n".encode() + "\n".join(heads).encode() + b"\n\n" + data + b"\n")
    out.append(f"--{boundary}--\n".encode())
    out.append(f"{foreign(pick)}\n".encode() if pick.random() < 0.3 else b"")
    return [f'Content-Type: {kind}; boundary="{boundary}"'], b"".join(out)


def attachment(pick: Pick) -> Part:
    """Return a part that is not the mail's text, with an order in it."""
    data = f"{foreign(pick)}\n".encode()
    return pick.choice(
        (
            (["Content-Type: text/plain; name=x.txt", "Content-Disposition: attachment"], data),
            (["Content-Type: text/calendar"], data),
            (["Content-Type: image/png"], data),
            (["Content-Type: application/octet-stream"], base64.encodebytes(data)),
            (["Content-Type: message/rfc822"], b"From: x@example.org\nSubject: x\n\n" + data),
            (
                [
                    "Content-Type: text/plain",
                    "Content-Disposition: attachment; filename*=utf-8''a%20b",
                ],
                data,
            ),
            (["Content-Type: application/pgp-signature"], data),
        )
    )


def make(pick: Pick) -> Made:
    """Return a mail."""
    shape = pick.random()
    lines, own = rows(pick)
    flowed = "; format=flowed" if pick.random() < 0.1 else ""
    if flowed:
        # What flows on is a matter of trailing spaces: none here.
        flat = [line if line == "-- " else line.rstrip() for line in lines]
        lines = [line for line in flat if not line.startswith(" ")]
    part, whole = leaf(pick, "text/plain", "\n".join(lines) + "\n", flowed)
    if shape < 0.4:
        text, own = html_text(pick)
        part, whole = leaf(pick, "text/html", text)
    elif shape < 0.6:
        rich, _ = leaf(
            pick,
            "text/html",
            f"<p>{html.escape(pick.choice(PROSE))}</p>{pick.choice(UNSAID).format(foreign(pick))}",
        )
        part = joined(pick, "multipart/alternative", [part, rich])
    for kind in ("multipart/mixed", "multipart/related", "multipart/signed", "multipart/mixed"):
        if pick.random() < 0.15:
            part = joined(
                pick, kind, [part, *(attachment(pick) for _ in range(pick.randrange(1, 3)))]
            )
    heads, data = part
    top = [
        "Return-Path: <joe@example.org>", "From: Joe <joe@example.org>",
        f"To: {pick.choice(('gm@example.org', 'gm+abcdefgh234567zz@example.org'))}",
        f"Subject: {pick.choice(('Re: club', foreign(pick), *SUBJECTS))}",
        f"X-Note: {foreign(pick)}", *heads,
    ]  # fmt: skip
    raw = "\n".join(top).encode() + b"\n\n" + data
    raw = raw.replace(b"\r\n", b"\n")
    return Made(raw if pick.random() < 0.5 else raw.replace(b"\n", b"\r\n"), tuple(own), whole)


TWISTS = (
    b"\0", b"\r", b"\n", b"\r\n", b"\n\n", b"> ", b"--", b"=\n", b"=3D", b"\xff", b"\xa3",
    b"\xe2\x80\x8b", b"\xfe\xff", b"=?utf-8?b?", b"?=", b"; name*0*=x''", b"charset=utf-7",
    b"Content-Type: text/html\n", b"Content-Type: multipart/mixed; boundary=x\n\n--x\n",
    b"Content-Transfer-Encoding: base64\n", b"A: raise 40000\n", b"end\n", b"press:\n",
    MARKER.encode(), b"<blockquote>", b"</div>", b"<html>", b"<![CDATA[", b"&#0;", b"&#xD800;",
    b"<!--", b"(" * 50, b"<a@b>," * 20, b"<td>" * 30,
)  # fmt: skip


def twisted(pick: Pick, raw: bytes) -> bytes:
    """Return a mail with some bytes changed, lost, doubled or put in."""
    data = bytearray(raw)
    for _ in range(pick.choice((1, 1, 2, 3, 5, 8, 20))):
        at = pick.randrange(len(data) + 1)
        length = pick.choice((1, 1, 2, 4, 16, 64, 300))
        kind = pick.randrange(6)
        if kind == 0:
            data[at : at + length] = b""
        elif kind == 1:
            data[at:at] = data[at : at + length] * pick.choice((1, 1, 2, 10))
        elif kind == 2 and at < len(data):
            data[at] ^= 1 << pick.randrange(8)
        elif kind == 3:
            data[at:at] = pick.randbytes(length % 20 + 1)
        elif kind == 4:
            other = pick.randrange(len(data) + 1)
            data[at:at] = data[other : other + length]
        else:
            data[at:at] = pick.choice(TWISTS)
    return bytes(data)

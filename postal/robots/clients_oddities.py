"""Answers that something on their way made odd: charsets, invisible characters, signatures."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from email.message import EmailMessage

from postal.robots import letters
from postal.robots.clients import text_lines
from postal.robots.clients_languages import LANGUAGES
from postal.robots.clients_table import CLIENTS
from postal.robots.letters import Draft

_NARROW = 60
_LONG_WORD = re.compile(r"\b([a-z])([a-z]{3,})")
_PGP = ("-----BEGIN PGP SIGNED MESSAGE-----", "Hash: SHA512", "")
_PGP_SIGNATURE = (
    "-----BEGIN PGP SIGNATURE-----",
    "",
    "iHUEARYKAB0WIQR5ZXMsIGl0IGlzIGEgZHVtbXkgc2lnbmF0dXJlLAUCZxAAAAAK",
    "CRBieSBhIHJvYm90Lg==",
    "=aB3d",
    "-----END PGP SIGNATURE-----",
)
_FOOTER = (
    "_______________________________________________",
    "Club mailing list -- club@lists.example.org",
    "To unsubscribe send an email to club-leave@lists.example.org",
)


def without_charset(draft: Draft) -> EmailMessage:
    """Lay out as windows-1252 in a mail that says nothing of what it holds."""
    body = [*draft.texts, "", f"– {draft.name}"]  # noqa: RUF001 - a dash beyond ASCII
    message = _raw(draft, body, "windows-1252", "us-ascii")
    del message["Content-Type"], message["Content-Transfer-Encoding"]
    return message


def wrong_charset(draft: Draft) -> EmailMessage:
    """Lay out as windows-1252, curly quotes and all, that says it were UTF-8."""
    return _raw(draft, ["My “orders”:", "", *draft.texts], "windows-1252", "utf-8")


def bogus_charset(draft: Draft) -> EmailMessage:
    """Lay out as UTF-8 that says it is of a charset nobody knows."""
    return _raw(draft, [*draft.texts, "", f"– {draft.name}"], "utf-8", "x-user-defined-4711")  # noqa: RUF001 - a dash beyond ASCII


def byte_order_mark(draft: Draft) -> EmailMessage:
    """Lay out as a text editor saves: a byte order mark, and CRLF inside of base64."""
    message = letters.headed(draft)
    first, *others = draft.texts
    letters.put_text(message, [f"\ufeff{first}", *others], "utf-8", "base64")
    return message


def zero_width(draft: Draft) -> EmailMessage:
    """Lay out with characters that nobody sees between the words and in them."""
    seen = (_LONG_WORD.sub("\\1\u00ad\\2", text).replace(" ", "\u200b ") for text in draft.texts)
    return _raw(draft, [f"\u200b\u2060{text}\u200e" for text in seen], "utf-8", "utf-8")


def pgp_signed(draft: Draft) -> EmailMessage:
    """Lay out as mutt's text, signed in the clear, with dashes escaped (RFC 9580, 7.2)."""
    escaped = (f"- {line}" if line.startswith("-") else line for line in _text("mutt", draft))
    return _raw(draft, [*_PGP, *escaped, *_PGP_SIGNATURE], "utf-8", "utf-8")


def smime_signed(draft: Draft) -> EmailMessage:
    """Lay out as Apple Mail's text, signed by S/MIME (RFC 8551, 3.5.3) without being so."""
    text, signature = EmailMessage(policy=letters.POLICY), EmailMessage(policy=letters.POLICY)
    letters.put_text(text, _text("apple-mail", draft), "utf-8", "quoted-printable")
    signature.set_content(
        b"no signature at all", "application", "pkcs7-signature", filename="smime.p7s"
    )
    message = letters.headed(draft)
    message["MIME-Version"] = "1.0"
    message["Content-Type"] = 'multipart/signed; protocol="application/pkcs7-signature"'
    message.set_param("micalg", "sha-256")
    message.set_boundary(f"Apple-Mail=_{draft.message_id[1:21]}")
    for part in (text, signature):
        del part["MIME-Version"]
        message.attach(part)
    return message


def through_a_list(draft: Draft) -> EmailMessage:
    """Lay out as a mailing list's program passes on: bullets, asterisks, narrow, a footer."""
    mine = [f"   * *{text}*" for text in draft.texts]
    quote: list[str] = []
    for line in draft.quoted:
        mark = "> " if line.startswith(">") else ""
        quote += [f"{mark}{piece}" for piece in textwrap.wrap(line[len(mark) :], _NARROW)] or [mark]
    message = _raw(draft, [*mine, "", *quote, *_FOOTER], "utf-8", "utf-8")
    message.replace_header("Subject", f"[Club] {message['Subject']}")
    return message


def _text(client: str, draft: Draft) -> list[str]:
    return text_lines(CLIENTS[client], LANGUAGES["en"], draft)


def _raw(draft: Draft, body: Sequence[str], charset: str, declared: str) -> EmailMessage:
    """Return a mail whose bytes are of one charset and whose header names another."""
    message = letters.headed(draft)
    content = "\r\n".join([*body, ""]).encode(charset, "replace")
    message.set_content(content, "text", "plain", cte="8bit", params={"charset": declared})
    return message

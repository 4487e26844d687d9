"""Header fields with one slip, put right as a mail is parsed: the type of a part, its encoding.

A part whose type or encoding nobody knows is one whose text nobody reads, and the slip is mostly
a client's: ``text/plain charset=utf-8``, ``base64;``, an encoded word around the whole.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from email.policy import Compat32
from typing import TYPE_CHECKING

from postal.mail import headers as fields

if TYPE_CHECKING:
    from email.message import Message

_LONGEST = 1_000  # characters of a type that is put right, and
_LONGEST_ENCODING = 100  # of an encoding: slips stand in short ones, and there may be many
_WELL_FORMED = re.compile(r"\s*[\w.+*-]+/(?:[\w.+*-]*[\w*])\s*(?:;|$)")
_TYPE = re.compile(
    r"[\s\"'<]*([\w.+-]*)\s*[/\\|]?\s*([\w+-]*)(?:[\s\"'>:,.]*;)?[\s\"'>:,.]*(.*)", re.DOTALL
)
_UNEQUAL = re.compile(r"(^|;)\s*(charset|format|delsp)(?:\s*:\s*|\s+)(?=[^\s=:])", re.IGNORECASE)
_BOUNDARY = re.compile(r"boundary\s*=", re.IGNORECASE)
_FAMILIES = ("text", "multipart")
_KNOWN_FAMILIES = frozenset(
    {"application", "audio", "font", "image", "message", "model", "multipart", "text", "video"}
)
_KINDS = frozenset({"plain", "html"})
_ENCODINGS = {
    "base64": "base64", "b64": "base64", "b": "base64", "mimebase64": "base64",
    "quotedprintable": "quoted-printable", "qp": "quoted-printable", "q": "quoted-printable",
    "7bit": "7bit", "7bits": "7bit", "8bit": "8bit", "8bits": "8bit", "binary": "binary",
}  # fmt: skip
_LIKENESS = 0.8
_BASE64 = re.compile(rb"[A-Za-z0-9+/=\s]*")
_COMMENT = re.compile(r"\([^()]*\)")


class Mending(Compat32):
    """The policy that mail is parsed with: compat32, but for the slips in two fields."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        """Return the name of a field and its value, put right where that is called for."""
        name, value = super().header_source_parse(sourcelines)
        folded = name.strip().casefold()
        if folded == "content-type" and len(value) <= _LONGEST:
            return name, content_type(value)
        if folded == "content-transfer-encoding" and len(value) <= _LONGEST_ENCODING:
            return name, encoding(value)
        return name, value


MENDING: Mending = Mending()
"""The policy itself: it has no state."""


def content_type(value: str) -> str:
    """Return the value of a Content-Type as it was meant; a well-formed one as it is."""
    mended = _mended_type(fields.decoded(value, _LONGEST) if "=?" in value else value)
    # Boundaries are counted in the bytes of a mail before it is parsed: none may appear since.
    hidden = "boundary" in mended.casefold() and not _BOUNDARY.search(value)
    return value if hidden else mended


def _mended_type(value: str) -> str:
    if _WELL_FORMED.match(value) and value.strip().partition("/")[0].casefold() in _KNOWN_FAMILIES:
        return _UNEQUAL.sub(r"\1 \2=", value)
    found = _TYPE.match(value)
    if found is None:
        return value
    family, kind, rest = found[1].casefold().rstrip("."), found[2].casefold(), found[3]
    if family in _KINDS and kind in ("", "text"):
        family, kind = "text", family
    elif family not in _KNOWN_FAMILIES:
        near = get_close_matches(family, _FAMILIES, 1, 0.7)
        family = near[0] if near else "text" if kind in _KINDS else family
    if not family or not kind:
        return value
    rest = _UNEQUAL.sub(r"\1 \2=", rest)
    return f"{family}/{kind}; {rest}" if rest.strip() else f"{family}/{kind}"


def encoding(value: str) -> str:
    """Return the value of a Content-Transfer-Encoding as it was meant."""
    if "=?" in value:
        value = fields.decoded(value, _LONGEST)
    plain = _COMMENT.sub("", value).partition(";")[0]
    squeezed = re.sub(r"[\W_]+", "", plain).casefold().removesuffix("encoding")
    if squeezed.startswith(("xuu", "uu", "xuue")):
        return plain.strip()
    near = get_close_matches(squeezed, ("base64", "quotedprintable"), 1, _LIKENESS)
    return _ENCODINGS.get(squeezed) or (_ENCODINGS[near[0]] if near else plain.strip())


def payload(part: Message) -> bytes:
    """Return the bytes of a leaf, decoded.

    What is declared to be base64 and begins with a line that can't be was never encoded, or was
    decoded on its way: it is taken as it is.
    """
    if str(part.get("content-transfer-encoding", "")).strip().casefold() == "base64":
        part.replace_header("content-transfer-encoding", "8bit")
        plain = part.get_payload(decode=True)
        if isinstance(plain, bytes) and not _BASE64.fullmatch(_first_line(plain)):
            return plain
        part.replace_header("content-transfer-encoding", "base64")
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _first_line(data: bytes) -> bytes:
    return data[:_LONGEST].lstrip().partition(b"\n")[0]

"""Tells where an older mail begins that stands below without marks, in any language and script."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from postal.engine.words import FIRST_WORDS
from postal.ordertext.folding import key, without_prefixes

# A header block is told by its shape, in any script: no list of words has all languages.
_HEADER_LINE = re.compile(r"([^\W\d_][^:@<>|=\d]{1,29}):(?!:)(.*)")
_MOST_HEADER_WORDS = 4
_ADDRESS = re.compile(r"[^\s@<>]@[^\s@<>]")
_FULL_DATE = re.compile(r"(?<!\d)\d{1,4}([./-])\d{1,2}\1\d{2,4}(?!\d)")
_CLOCK = re.compile(r"(?<!\d)\d{1,2} ?[:.h時时] ?\d{2}(?!\d)")
_NUMBER = re.compile(r"(?<!\d)\d{1,4}(?!\d)")
_YEARS = ((1300, 1500), (1900, 2100), (2400, 2700))
"""Those of the Persian and Islamic, the common and the Buddhist calendars."""

_SURE_LINES = 3
_COLON, _MOST_COLONS = re.compile(": "), 5
_FIELD = re.compile(r"(?:^| )[^\W\d_][^:@<>|=\d ]{1,20} ?:(?= )")
# Lotus Notes puts no colons: a line with the date and the time, then "To" on a line of its own.
_RECEIVERS = frozenset({"to", "an", "à", "para", "aan", "do", "till", "til", "a", "vastaanottaja"})

# ``-----Original Message-----`` in any language: dashes, a few words, dashes.
_ORIGINAL = re.compile(r"(?:-{3,}|={3,}) ?([^\W\d_][^\d_:@<>|=-]{1,59}?) ?(?:-{3,}|={3,})")
_MOST_ORIGINAL_WORDS = 6
_BETWEEN_DASHES = re.compile(r"-{3,} ?([^-].*[^-]) ?-{3,}")
_NO_ORIGINAL = ("begin pgp", "end pgp", "pgp")
_ORIGINALS = (
    "original message",
    "ursprüngliche nachricht",
    "originalnachricht",
    "message d'origine",
    "mensaje original",
    "messaggio originale",
    "oorspronkelijk bericht",
    "wiadomość oryginalna",
    "oryginalna wiadomość",
    "mensagem original",
    "ursprungligt meddelande",
    "forwarded message",
)
_WROTE = (
    "wrote",
    "schrieb",
    "a écrit",
    "escribió",
    "ha scritto",
    "schreef",
    "napisał",
    "napisała",
    "escreveu",
    "skrev",
    "kirjoitti",
    "je napisal",
    "je napisala",
    "napsal",
    "napsala",
    "napísal",
    "írta",
    "a scris",
    "пишет",
    "писал",
    "написал",
    "пише",
    "написав",
    "написа",
    "έγραψε",
    "yazd\N{LATIN SMALL LETTER DOTLESS I}",
    "kirjutas",
    "rakstīja",
    "rašė",
    "skrifaði",
    "va escriure",
    "escribiu",
    "idatzi du",
    "ysgrifennodd",
    "viết",
    "menulis",
    "写道",
    "寫道",
    "wrote as follows",
    "書きました",
    "작성",
    "כתב",
    "כתבה",
    "كتب",
    "เขียนว่า",
    "ने लिखा",
)


def blocks_by_shape(folded: Sequence[str]) -> dict[int, bool]:
    """Return where header blocks begin among folded lines, by their shape alone.

    One is two or more neighbouring lines ``Word: value``, of which one holds an address or a
    date; at most one empty line stands between two of them. The value is whether it is surely
    one: of three lines or more, or with an address. A client that wraps lines anew may have made
    one line of it, and Lotus Notes writes no colons.
    """
    found: dict[int, bool] = {}
    run: list[int] = []
    for at in range(len(folded) + 1):
        line = folded[at] if at < len(folded) else ""
        if at < len(folded) and _is_header_line(line):
            run.append(at)
            continue
        if at < len(folded) and not line and run and run[-1] == at - 1:
            continue
        if len(run) > 1:
            lines = [folded[one] for one in run]
            addressed = any(_ADDRESS.search(one) for one in lines)
            if addressed or any(map(_holds_date, lines)):
                found[run[0]] = addressed or len(run) >= _SURE_LINES
        run = []
    found |= {at: True for at, line in enumerate(folded) if _is_one_line_block(line)}
    return found | {at: True for at in range(len(folded)) if _is_lotus_head(folded, at)}


def _is_one_line_block(folded: str) -> bool:
    """Whether a header block stands on one line: ``From: … Sent: … To: …`` with its date."""
    fields = len(_FIELD.findall(folded)) if folded.count(":") >= _SURE_LINES else 0
    return fields >= _SURE_LINES and _is_header_line(folded) and _holds_date(folded)


def _is_lotus_head(folded: Sequence[str], at: int) -> bool:
    if not (_CLOCK.search(folded[at]) and _FULL_DATE.search(folded[at])):
        return False
    following = next((line for line in folded[at + 1 : at + 3] if line), "")
    return following in _RECEIVERS


def _is_header_line(folded: str) -> bool:
    found = _HEADER_LINE.match(without_prefixes(folded))
    if found is None:
        return False
    words = found[1].split()
    return len(words) <= _MOST_HEADER_WORDS and key(words[0]) not in FIRST_WORDS


def _holds_date(folded: str) -> bool:
    """Whether a folded line holds a date with its year."""
    if _FULL_DATE.search(folded):
        return True
    numbers = [int(one) for one in _NUMBER.findall(folded)]
    return len(numbers) > 1 and any(low <= one < high for one in numbers for low, high in _YEARS)


def is_original_line(folded: str) -> bool:
    """Whether a folded line is ``-----Original Message-----``, in any language.

    Zoho puts dashes around its attribution instead: ``---- On Monday … wrote ----``.
    """
    if folded.startswith("--") and folded.strip("- ").removeprefix("begin ") in _ORIGINALS:
        return True
    dashed = _BETWEEN_DASHES.fullmatch(folded)
    if dashed is not None and is_sure_attribution(f"{dashed[1].rstrip()}:"):
        return True
    found = _ORIGINAL.fullmatch(folded)
    if found is None:
        return False
    words = found[1].split()
    if len(words) > _MOST_ORIGINAL_WORDS or found[1].startswith(_NO_ORIGINAL):
        return False
    return not any(key(word) in FIRST_WORDS for word in words)


def is_attribution(folded: str, above: str = "") -> bool:
    """Whether a folded line ends as ``On Monday Joe wrote:`` does, in any language.

    What no list has is told by its shape: a colon at the end, and an address, or a date with its
    year and the time of day; where it has these some clients go on behind the colon. ``above`` is
    the line just above, from which it may be wrapped.
    """
    if folded.endswith(_OTHER_COLONS):
        folded = f"{folded[:-1]}:"
    if not folded.endswith(":"):
        return _goes_on_behind(folded)
    return _is_known_attribution(folded) or is_sure_attribution(folded, above)


def _goes_on_behind(folded: str) -> bool:
    heads = (folded[: colon.start() + 1] for colon in islice(_COLON.finditer(folded), _MOST_COLONS))
    return any(is_sure_attribution(one) and _is_known_attribution(one) for one in heads)


def is_sure_attribution(folded: str, above: str = "") -> bool:
    """Whether an attribution names an address, or a date with its year and the time of day."""
    if not folded.endswith(":") or _TABLE_FIRST.match(without_prefixes(folded)):
        return False
    if len(folded.split()) <= _WRAPPED_WORDS and not _TABLE_FIRST.match(without_prefixes(above)):
        folded = f"{above} {folded}"
    if _ADDRESS.search(folded):
        return True
    return _CLOCK.search(folded) is not None and _holds_date(folded)


_WRAPPED_WORDS = 3
_OTHER_COLONS = ("\u17d6", "\u1366")  # those of Khmer and Amharic
_TABLE_FIRST = re.compile(r"[a-z]\d{0,2} ?[:)]")


_EITHER_GENDER = re.compile(r"\(\w{1,2}\)$")  # Polish "napisał(a)"


def _is_known_attribution(folded: str) -> bool:
    said = _EITHER_GENDER.sub("", folded.rstrip(": "))
    # German puts the writer behind the verb: "Am Montag schrieb Joe:".
    if said.endswith(_WROTE) or " schrieb " in said or " schreef " in said or " skrev " in said:
        return True
    # "Joe wrote on 2 March 2026:" has the date behind.
    return _holds_date(said) and any(f" {wrote} " in said for wrote in _WROTE)

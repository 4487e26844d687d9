"""What a person wrote above all that his mail program quotes."""

from __future__ import annotations

from postal.ordertext import older, quoting
from postal.ordertext.folding import fold
from postal.ordertext.lines import LONGEST_LINE

MOST_LINES = 200


def own_words(text: str, *, marked: bool = False) -> str:
    """Return the lines of a mail's text above the first that is quoted, or a signature's.

    At most 200, each cut at 500 characters. A line with ``::`` or ``|`` in front is quoted too,
    unless ``marked`` says that such lines are looked for.
    """
    raws = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[: MOST_LINES + 1]
    folded = [fold(raw[:LONGEST_LINE]) for raw in raws]
    heads = older.blocks_by_shape(folded)
    own: list[str] = []
    for at, raw in enumerate(raws[:MOST_LINES]):
        following = next((line for line in folded[at + 1 :] if line), "")
        quoted = at in heads or _is_quoted(folded[at], following, marked=marked)
        if quoted or quoting.is_signature(raw):
            break
        before, edge, _ = raw.partition(quoting.MARKER_EDGE)
        marker = bool(edge) and quoting.is_marker(folded[at], following)
        own.append((before if marker else raw)[:LONGEST_LINE])
        if marker:
            break
    return "\n".join(own).strip("\n")


def _is_quoted(folded: str, following: str, *, marked: bool) -> bool:
    mark = quoting.quote_mark(folded)
    return (
        (bool(mark) if not marked else mark == ">")
        or older.is_attribution(folded)
        or older.is_original_line(folded)
        or quoting.is_block_start(folded, following)
    )

"""What a person wrote above all that his mail program quotes."""

from __future__ import annotations

from postal.engine.words import MARKER
from postal.ordertext import quoting
from postal.ordertext.folding import fold
from postal.ordertext.lines import LONGEST_LINE

MOST_LINES = 200


def own_words(text: str) -> str:
    """Return the lines of a mail's text above the first that is quoted, ours or a signature's.

    At most 200, each cut at 500 characters; blank lines at both ends are left out.
    """
    own: list[str] = []
    for raw in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[:MOST_LINES]:
        folded = fold(raw[:LONGEST_LINE])
        above, edge, _ = raw.partition(MARKER.split()[0])
        if (
            quoting.quote_mark(folded)
            or quoting.is_signature(raw)
            or quoting.is_attribution(folded)
        ):
            break
        own.append((above if edge else raw)[:LONGEST_LINE])
        if edge:
            break
    return "\n".join(own).strip()

"""What is offered to copy for a line that is nearly an order: read as it stands, and his own."""

import re
from collections.abc import Iterator
from difflib import get_close_matches
from itertools import product

import pytest

from postal.engine.words import VERBS
from postal.ordertext import Context, read_mail
from tests.ordertext.wording_cases import CONTEXTS

LEADS = ("", "Please ", "Everything: ")
TABLES = ("A: ", "B1 ", "all: ", "A/B: ", "")
TAILS = ("", "?", "; stay")
CARDS = ("2C 5D next, 9H previous", "2C 5D / 9H", "2C 3C 4C 5C 6C expose 2C 3C 4C", "KD")
ORDERS = (
    *(f"{verb} {cards}" for verb in ("give", "giev", "keep", "discard", "") for cards in CARDS),
    *("expose KD", "show KD", "raise 40000", "raise 40.000", "raise to 60,000", "raise to 60k"),
    *("rais 40000", "raise forty thousand", "raise max", "raise max 60000", "r40k", "raise lots"),
    *("stay", "saty", "fold", "call", "check/fold", "all in", "everything"),
)


def nearly() -> Iterator[str]:
    """Yield lines with a table of his, all of them or none, and a verb right or not."""
    for lead, table, order, tail in product(LEADS, TABLES, ORDERS, TAILS):
        yield f"{lead}{table}{order}{tail}"


@pytest.mark.parametrize("writer", CONTEXTS)
def test_what_is_offered_is_read_and_holds_nothing_new(writer: str) -> None:
    """Each line to copy is an order as it stands, of no verb, sum or card that isn't written."""
    context, offered = CONTEXTS[writer], 0
    for line in nearly():
        for problem in read_mail(line, context).problems:
            for copied in problem.examples:
                check(line, copied, context)
                offered += 1
    assert offered > 200


def check(line: str, copied: str, context: Context) -> None:
    """Hold a line to copy to what was written."""
    again = read_mail(copied, context)
    assert not again.problems, (line, copied)
    assert again.lines or again.commands, (line, copied)
    if copied.startswith("cancel"):
        return
    words = [word for word in re.findall(r"[a-z]+", line.casefold()) if word != "all"]
    verb, *rest = copied.partition(": ")[2].split()
    if verb in VERBS and verb != "raise":
        assert get_close_matches(verb, words, cutoff=0.7), (line, copied)
    known = re.sub(r"[^0-9a-z ]", "", line.casefold()).replace("60k", "60000")
    known = known.replace("40k", "40000").replace("forty thousand", "40000")
    for word in rest:
        if word[0].isdigit() or word in ("KD", "fold"):
            assert word.strip(",").casefold() in known, (line, copied)

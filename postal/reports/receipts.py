"""Turns the facts of a receipt into what its template is given."""

from __future__ import annotations

import re

from postal.engine.orders import Problem
from postal.reports.contexts import ProblemContext, ReceiptContext, ReceiptFacts
from postal.reports.display import prose
from postal.reports.wrapping import quoted

_EXAMPLE = re.compile(
    r"\b(?:[A-Z]\d{0,2}: (?:(?:give|keep|discard) [^.;()]+"
    r"|(?:raise \d+|stay|fold|check|call)(?: expose [\w ]+?)?"
    r"|expose [\w ]+)(?= or |[,.;(]| \(|$)"
    r"|cancel (?:[A-Z]\b|all\b)|holiday [-\d]+ to [-\d]+)"
)
_LONGEST_CUT = 10


def receipt_context(facts: ReceiptFacts) -> ReceiptContext:
    """Return the facts for a template: other people's words in pieces, examples on their own."""
    return ReceiptContext(
        hands=facts.hands,
        missing=tuple(hand.hand for hand in facts.hands if hand.due and hand.line is None),
        complete=facts.complete,
        committed=facts.committed,
        left=facts.left,
        problems=tuple(map(_problem, facts.problems)),
        cut=tuple(quoted(line) for line in facts.cut[:_LONGEST_CUT]),
        cancelled=facts.cancelled,
        lost=facts.lost,
        replaced=facts.replaced,
        waiting=facts.waiting,
        ready=facts.ready,
        unavailable=facts.unavailable,
        nothing=facts.nothing,
    )


def _problem(problem: Problem) -> ProblemContext:
    hint, examples = _parted(problem.hint)
    sentence = problem.sentence.removeprefix(f"{problem.hand}: ")
    return ProblemContext(
        number=problem.number,
        hand=problem.hand,
        written=quoted(problem.line) if problem.line else (),
        sentence=prose(f"{sentence[:1].upper()}{sentence[1:]}"),
        hint=prose(hint),
        examples=examples,
        partly=problem.code == "expose-dropped",
    )


def _parted(hint: str) -> tuple[str, tuple[str, ...]]:
    """Return a hint's words and the order lines in it, each of which goes on a line of its own.

    >>> _parted("Write for example: A: raise 50000 (you may: raise, fold).")
    ('Write for example (you may: raise, fold):', ('A: raise 50000',))
    """
    found = list(_EXAMPLE.finditer(hint))
    if not found:
        return hint, ()
    before, after = hint[: found[0].start()], hint[found[-1].end() :]
    words = f"{before.rstrip(' :,')} {after.strip(' .')}".strip()
    return f"{words}:", tuple(match.group().strip() for match in found)

"""Turns the facts of a receipt into what its template is given."""

from __future__ import annotations

from postal.engine.problems import Problem
from postal.reports.contexts import ProblemContext, ReceiptContext, ReceiptFacts
from postal.reports.display import prose
from postal.reports.problems import problem_hint, problem_said
from postal.reports.wrapping import quoted

_LONGEST_CUT = 10


def receipt_context(facts: ReceiptFacts) -> ReceiptContext:
    """Return the facts for a template: other people's words in pieces, examples on their own."""
    return ReceiptContext(
        hands=facts.hands,
        missing=tuple(hand.hand for hand in facts.hands if hand.due and hand.line is None),
        revocable=tuple(
            hand.hand.rstrip("0123456789")
            for hand in facts.hands
            if hand.line is not None and not hand.final
        ),
        final=tuple(hand.hand for hand in facts.hands if hand.final),
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
    hint, examples = problem_hint(problem)
    said = problem_said(problem)
    return ProblemContext(
        number=problem.number,
        hand=problem.hand,
        written=quoted(problem.line) if problem.line else (),
        sentence=prose(f"{said[:1].upper()}{said[1:]}"),
        hint=prose(hint),
        examples=examples,
        partly=problem.code == "expose-dropped",
    )

"""Turns the facts of a receipt into what its template is given."""

from __future__ import annotations

from postal.engine.problems import Problem
from postal.reports.contexts import ProblemContext, ReceiptContext, ReceiptFacts
from postal.reports.display import long_time, prose
from postal.reports.problems import problem_hint, problem_said
from postal.reports.said import said_sentence
from postal.reports.wrapping import quoted

_LONGEST_CUT = 10


def receipt_context(facts: ReceiptFacts, zone: str = "UTC", gm: str = "the GM") -> ReceiptContext:
    """Return the facts for a template: other people's words in pieces, examples on their own.

    Times are told in ``zone``; ``gm`` is the GM's name.
    """
    hold = facts.hold
    return ReceiptContext(
        hands=facts.hands,
        missing=tuple(
            hand.hand for hand in facts.hands if hand.due and hand.line is None and not hand.fixed
        ),
        revocable=tuple(
            hand.hand.rstrip("0123456789")
            for hand in facts.hands
            if hand.line is not None and not hand.final
        ),
        final=tuple(hand.hand for hand in facts.hands if hand.final and not hand.fixed),
        fixed=tuple(hand.hand for hand in facts.hands if hand.fixed),
        complete=facts.complete,
        owes=any(hand.due for hand in facts.hands),
        hold=hold.why if hold else "",
        until=long_time(hold.until, zone) if hold and hold.until else "",
        committed=facts.committed,
        left=facts.left,
        problems=tuple(map(_problem, facts.problems)),
        cut=tuple(quoted(line) for line in facts.cut[:_LONGEST_CUT]),
        taken_back=facts.taken_back,
        lost=facts.lost,
        replaced=facts.replaced,
        ready=facts.ready,
        waits_in_vain=facts.waits_in_vain,
        nothing=facts.nothing,
        files_unread=facts.files_unread,
        assumed=facts.assumed,
        said=tuple(said_sentence(one, gm, zone) for one in facts.said),
        by_gm=facts.by_gm,
    )


def _problem(problem: Problem) -> ProblemContext:
    hint, examples = problem_hint(problem)
    said = problem_said(problem)
    return ProblemContext(
        number=problem.number,
        hand=problem.hand,
        hands=problem.hands,
        written=quoted(problem.line) if problem.line else (),
        sentence=prose(f"{said[:1].upper()}{said[1:]}"),
        hint=prose(hint),
        examples=examples,
        partly=problem.code == "expose-dropped",
    )

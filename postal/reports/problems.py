"""Puts words to problems: what was wrong with a line, and what to write instead."""

from __future__ import annotations

from postal.engine.cards import cards_text
from postal.engine.problems import Figures, Kind, Problem
from postal.engine.words import ALL_TABLES, DIRECTIONS
from postal.reports.display import counted, listed, pounds
from postal.reports.phrases import Phrase
from postal.reports.phrases_lines import LINE_PHRASES
from postal.reports.phrases_play import PLAY_PHRASES

PHRASES = LINE_PHRASES | PLAY_PHRASES
"""The words for each fault."""

_DUE = "What is due from you now, for example"
_DOING: dict[Kind, str] = {
    "give": "give cards",
    "keep": "keep and expose cards",
    "expose": "expose a card",
    "bet": "bet",
}


_ELSEWHERE = ", or take back an order for another table first"


def problem_sentence(problem: Problem) -> str:
    """Return what is wrong as one sentence by itself, as the order log has it.

    Where the rules refuse an order, its hand stands before it, as in
    ``A1: a raise of £60,000 is over the limit of £50,000.``
    """
    said = problem_said(problem)
    return f"{problem.hand}: {said}" if _phrase(problem).of_hand else said


def problem_said(problem: Problem) -> str:
    """Return what is wrong as a sentence beside which the hand is named already."""
    return _phrase(problem).said.format_map(_values(problem))


def problem_hint(problem: Problem) -> tuple[str, tuple[str, ...]]:
    """Return what to write instead, and examples of it, each for a line of its own.

    Both may be empty. A bet for all tables at once stands within the sentence.
    """
    phrase, examples = _phrase(problem), problem.examples
    if not examples:
        advice = phrase.advice.format_map(_values(problem))
        return (f"{advice} {_DUE}:".lstrip(), problem.instead) if problem.instead else (advice, ())
    lead = phrase.lead.format_map(_values(problem))
    if problem.figures.table == ALL_TABLES:
        return f"{lead} {listed(examples, 'or')}", ()
    return f"{lead}:", tuple(line.strip() for line in examples)


def _phrase(problem: Problem) -> Phrase:
    return PHRASES[problem.fault]


def _values(problem: Problem) -> dict[str, object]:
    """Return what phrases can name, as it is printed."""
    figures, bets = problem.figures, _bets(problem.figures)
    return {
        "hand": problem.hand,
        "table": figures.table,
        "hands": ", ".join(figures.hands),
        "verb": figures.verb,
        "verbs": ", ".join(figures.verbs),
        "any_verb": bets,
        "may": f"You may {bets}." if bets else "",
        "elsewhere": _ELSEWHERE if figures.elsewhere else "",
        "doing": _DOING[figures.kind] if figures.kind else "",
        "players": " and ".join(figures.players),
        "amount": pounds(figures.amount),
        "limit": pounds(figures.limit),
        "given": figures.given,
        "needed": figures.needed,
        "needed_cards": counted(figures.needed, "card"),
        "were_raises": f"{_were(figures.needed)} {counted(figures.needed, 'raise')}",
        "further_lines": f"{counted(figures.given, 'further line')} {_were(figures.given)}",
        "dropped_cards": "the cards to expose were"
        if figures.given > 1
        else "the card to expose was",
        "it": "them" if figures.given > 1 else "it",
        "neighbours": _neighbours(problem),
        "gifts": " and ".join(
            f"{cards} to the {DIRECTIONS.get(to, str(to))} seat" for cards, to in figures.gifts
        ),
        "text": figures.text,
        "cards": cards_text(figures.cards),
        "held": cards_text(figures.held),
    }


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


def _bets(figures: Figures) -> str:
    """Return the bets that are open, and how far a raise can go where that is known."""
    words = [
        f"raise up to {pounds(figures.most)}"
        if verb == "raise" and figures.most
        else f"{verb} on an IOU"
        if verb in figures.on_iou
        else verb
        for verb in figures.verbs
    ]
    return f"only {words[0]}" if len(words) == 1 else listed(words, "or") if words else ""


def _neighbours(problem: Problem) -> str:
    """Return who sits beside the player at the table; empty where nobody is named."""
    named = " and ".join(
        f"{name} ({DIRECTIONS[1 if to > 0 else -1]})" for name, to in problem.figures.neighbours
    )
    return f"Your neighbours at table {problem.figures.table} are {named}. " if named else ""

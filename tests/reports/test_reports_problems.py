"""The words that are put to problems, each as it has always been told."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from postal.engine.cards import parse_cards
from postal.engine.problems import Fault, Figures, Problem
from postal.ordertext import read_mail
from postal.reports import ReceiptFacts
from postal.reports.problems import PHRASES, problem_hint, problem_sentence
from postal.reports.receipts import receipt_context
from tests.reports.problem_cases import PLAYER, problems

TOLD = Path(__file__).with_name("problems.txt")
"""What was written, the order log's sentence, and the receipt's with its hint and examples."""

CASES = tuple(problems())


def test_each_fault_has_words() -> None:
    """None is left without, and no words are left over."""
    assert set(PHRASES) == set(Fault)


def test_each_fault_comes_of_a_line() -> None:
    """Lines and mails that players can write lead to every one of them."""
    assert {problem.fault for _, problem in CASES} == set(Fault)


def test_problems_are_told_word_for_word() -> None:
    """In the order log and in the receipt, byte for byte."""
    found = "\n\n".join(_told(written, problem) for written, problem in CASES) + "\n"
    assert found == TOLD.read_text("utf-8")


def test_examples_can_be_read() -> None:
    """Whoever copies one writes an order or a command, of a table of his."""
    for _, problem in CASES:
        _, examples = problem_hint(problem)
        for example in examples:
            read = read_mail(example, PLAYER)
            assert read.lines or read.commands, example
            assert not read.problems, example


def test_examples_have_words_before_them() -> None:
    """His own order made right, or else what is due; where there is neither, advice."""
    for written, problem in CASES:
        for shown in (problem, replace(problem, examples=(), instead=("A: stay",))):
            hint, examples = problem_hint(shown)
            assert not hint.startswith(":"), written
            assert not examples or hint.endswith(":"), written


FIXED = {Fault.LINE_TOO_LONG, Fault.TOO_MANY_LINES, Fault.TOO_MANY_PARTS}
"""Faults that name one of the reader's own limits."""


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("fault", sorted(set(Fault) - FIXED))
def test_one_is_no_plural(fault: Fault, number: int) -> None:
    """Whatever is counted, in the order log and in the receipt."""
    given: dict[str, Any] = {"needed": number, "given": number, "gifts": ((1, number),)}
    problem = Problem(fault, Figures(**given, verb="keep"), hand="A1")
    for shown in (
        problem,
        replace(problem, examples=("A: stay",)),
        replace(problem, instead=("",)),
    ):
        said = f"{problem_sentence(shown)} {problem_hint(shown)[0]}"
        one, more = r"\b1 (\w+ )?\w+s\b|\bwere 1\b", r"\b2 (further )?(card|line|raise)\b|\bwas 2\b"
        assert not re.search(one if number == 1 else more, said), said


def test_the_raises_of_a_stage_are_counted() -> None:
    """At a cap of one, and of more."""
    problem = Problem(Fault.RAISE_CAP, Figures(needed=1), hand="A1")
    assert problem_sentence(problem) == "A1: there was 1 raise, the most in one stage."
    problem = Problem(Fault.RAISE_CAP, Figures(needed=3), hand="A1")
    assert problem_sentence(problem) == "A1: there were 3 raises, the most in one stage."


def test_a_player_s_braces_are_words() -> None:
    """What he wrote is never taken for the name of a figure."""
    (problem,) = read_mail("A: fold; {hand} {0} {", PLAYER).problems
    assert problem_sentence(problem) == '"{hand} {0} {" is not an order.'


def test_a_problem_is_a_value_without_secrets_in_its_repr() -> None:
    """It can be compared and hashed; neither cards nor what was written are printed."""
    cards = Figures(cards=parse_cards("QD"), held=parse_cards("KC"), text="2C")
    one, other = (Problem(Fault.NOT_HELD, cards, ("A: fold expose 3C",), "A1", "4C") for _ in "ab")
    assert len({one, other}) == 1
    for secret in ("QD", "KC", "2C", "3C", "4C", "Card("):
        assert secret not in repr(one)


def _told(written: str, problem: Problem) -> str:
    slip = ReceiptFacts(hands=(), committed=0, left=0, problems=(problem,))
    (context,) = receipt_context(slip).problems
    shown = written.strip()[:60].splitlines()[-1]
    return "\n".join(
        (
            f"wrote: {shown}",
            f"code: {problem.code}",
            f"log: {problem_sentence(problem)}",
            f"receipt: {context.sentence}",
            *([f"hint: {context.hint}"] if context.hint else []),
            *(f":: {example}" for example in context.examples),
        )
    )

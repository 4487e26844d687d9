"""Checks that the phases of a game fit together, so that no game stops half-way (GAMES.md)."""

from __future__ import annotations

from collections.abc import Iterator

from postal.engine.cards import JOKER_INDEX
from postal.engine.rules import (
    AntePhase,
    BettingPhase,
    DealPhase,
    ExposePhase,
    GivePhase,
    HandsPhase,
    KeepPhase,
    Phase,
    Rules,
)

HAND_CARDS = 5
MOST_SHOWING = 4


def misfits(rules: Rules) -> Iterator[tuple[str, str]]:
    """Yield the path and a sentence for each thing that does not fit what stands before it.

    The rules must have one phase of hands and one deal. Start money below the antes of all tables
    is one of the things told (RULES.md 1.2).
    """
    if rules.players % rules.hand_size:
        yield "phase", f"hands of {rules.hand_size} do not come out of {rules.players}."
    if rules.dealt * rules.players > JOKER_INDEX + rules.jokers:
        yield "phase", "deals more cards than the pack has."
    antes = rules.tables * sum(
        phase.amount for phase in rules.phases if isinstance(phase, AntePhase)
    )
    if rules.start_money < antes:
        money = f"is £{rules.start_money:,}; the antes of {rules.tables} tables need £{antes:,}."
        yield "option start_money", money
    yield from _endless(rules)
    yield from _cards(rules)


def _endless(rules: Rules) -> Iterator[tuple[str, str]]:
    """Tell of a game in which two who are silent could check for ever (RULES.md 6.7, 9.4)."""
    for phase in rules.phases:
        if not isinstance(phase, BettingPhase) or "check" not in phase.answer:
            continue
        if rules.rulings.must_end and not phase.check_limit and not rules.number("nmr_limit"):
            sentence = "is 0, and so is check_limit: give one a limit, or the game might never end."
            yield "option nmr_limit", sentence


def _set_at(rules: Rules, index: int, key: str) -> str:
    """Return where a figure of a phase is set: the option's name, or the key's path."""
    value = rules.source["phase"][index].get(key, f"${key}")
    named = isinstance(value, str) and value.startswith("$")
    return f"option {value[1:]}" if named else f"phase[{index}].{key}"


def _cards(rules: Rules) -> Iterator[tuple[str, str]]:
    """Follow the cards of one player through the phases."""
    held = _Held(rules)
    deal = next(i for i, phase in enumerate(rules.phases) if isinstance(phase, DealPhase))
    for index, phase in enumerate(rules.phases):
        path = f"phase[{index}]"
        if index < deal and not isinstance(phase, HandsPhase):
            yield f"{path}.kind", "must come after the deal."
        for key, sentence in held.through(phase):
            yield f"{path}.{key}", sentence
        if isinstance(phase, BettingPhase) and phase.min_raise > phase.max_raise:
            low, most = _set_at(rules, index, "min_raise"), _set_at(rules, index, "max_raise")
            yield low, f"is £{phase.min_raise:,}, over the £{phase.max_raise:,} of {most}."
    cards = held.hidden + held.shown
    if cards != HAND_CARDS:
        yield "phase", f"leave {cards} cards to each player at the showdown, not {HAND_CARDS}."


class _Held:
    """How many cards a player holds face down and face up, phase by phase."""

    def __init__(self, rules: Rules) -> None:
        self.rules, self.hidden, self.shown = rules, rules.dealt, 0

    def through(self, phase: Phase) -> Iterator[tuple[str, str]]:
        """Take the cards through a phase; yield the key and a sentence for what does not fit."""
        match phase:
            case GivePhase():
                yield from self.give(phase)
            case KeepPhase():
                yield from self.keep(phase)
            case ExposePhase(cards=cards):
                if cards > self.hidden:
                    yield "cards", f"must be {self.hidden} or less: no more are face down."
                self.hidden, self.shown = self.hidden - cards, self.shown + cards
            case BettingPhase():
                if not 1 <= self.shown <= MOST_SHOWING:
                    yield "first", f"needs one to four exposed cards, and {self.shown} are."
            case _:
                return

    def keep(self, phase: KeepPhase) -> Iterator[tuple[str, str]]:
        if self.shown:
            yield "kind", "must come before any card is exposed."
        elif phase.cards > self.hidden:
            yield "cards", f"must be {self.hidden} or less: nobody holds more."
        self.hidden, self.shown = phase.cards - phase.expose, phase.expose

    def give(self, phase: GivePhase) -> Iterator[tuple[str, str]]:
        circle = self.rules.players if phase.among == "table" else self.rules.hand_size
        ways = [gift.to for gift in phase.gifts]
        if phase.cards > self.hidden:
            yield "gifts", f"must be {self.hidden} cards or less: nobody holds more."
        if len(set(ways)) < len(ways):
            yield "gifts", "must name each seat once."
        if any(to % circle == 0 for to in ways):
            yield "gifts", "cannot go back to the giver."

"""Checks a game file and makes Rules of it; each mistake is told by its key's path (GAMES.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from postal.engine.editions import NEWEST, rulings
from postal.engine.rulechecks import HAND_CARDS, misfits
from postal.engine.rules import (
    STANDARD_CHOICES,
    STANDARD_LIMITS,
    STANDARD_OPTIONS,
    AntePhase,
    BettingPhase,
    DealPhase,
    ExposePhase,
    GiftRule,
    GivePhase,
    HandsPhase,
    KeepPhase,
    OptionValue,
    Phase,
    Rules,
)
from postal.engine.words import VERBS, Verb

SMALLEST_CHECK_LIMIT = 2
FILE_KEYS = ("name", "players", "tables", "pack", "options", "phase")
OPTION_KEYS = ("default", "min", "max", "not", "choices", "says")


@dataclass(frozen=True, slots=True)
class RuleProblem:
    """A mistake in a game file or in the options of a game: where it is and what would be right."""

    path: str
    sentence: str

    def __str__(self) -> str:
        """Return path and sentence as one line for the GM."""
        return f"{self.path}: {self.sentence}"


class _Mistake(Exception):  # noqa: N818 - never leaves this module
    def __init__(self, path: str, sentence: str) -> None:
        super().__init__(sentence)
        self.problem = RuleProblem(path, sentence)


def read_rules(
    source: Mapping[str, Any],
    options: Mapping[str, Any],
    players: int,
    edition: int = NEWEST,
) -> Rules | tuple[RuleProblem, ...]:
    """Return the Rules of a game file for ``players`` players, or every mistake found in it.

    ``source`` is the file as parsed; ``options`` what the GM sets otherwise, as values or as
    the text of values. A number of players that the game does not take, and start money below
    the antes (RULES.md 1.1, 1.2), are mistakes too. ``edition`` is that of RULES.md under which
    the game is played: one of EDITIONS.
    """
    problems = [*_unknown(source, FILE_KEYS, "", "a game file")]
    values = _options(source, options, edition, problems)
    phases = _phases(source, values, problems)
    try:
        tables = _frame(source, players)
        name = _text(source, "name", "name")
        jokers = _jokers(source)
    except _Mistake as mistake:
        return (*problems, mistake.problem)
    if not problems:
        rules = Rules(name, players, tables, jokers, phases, values, source, edition)
        problems += (RuleProblem(path, sentence) for path, sentence in misfits(rules))
        if not problems:
            return rules
    return tuple(problems)


def option_choices(source: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the options that a game file offers, by name: default, limits and what each says."""
    declared = source.get("options", {})
    return {
        name: entry if isinstance(entry, Mapping) else {"default": entry}
        for name, entry in declared.items()
    }


def _unknown(
    table: Mapping[str, Any], known: Sequence[str], path: str, where: str
) -> Iterator[RuleProblem]:
    for key in table:
        if key not in known:
            near = get_close_matches(str(key), known, 1)
            right = near[0] if near else ", ".join(known)
            yield RuleProblem(f"{path}{key}", f"is unknown in {where}; use {right}.")


def _options(
    source: Mapping[str, Any],
    chosen: Mapping[str, Any],
    edition: int,
    problems: list[RuleProblem],
) -> dict[str, OptionValue]:
    values = {**STANDARD_OPTIONS, **rulings(edition).standard}
    limits = STANDARD_LIMITS if rulings(edition).must_end else {}
    if not isinstance(source.get("options", {}), Mapping):
        problems.append(RuleProblem("options", "must be a table of options."))
        return values
    declared = option_choices(source)
    known = [*declared, *(name for name in STANDARD_OPTIONS if name not in declared)]
    for name, entry in declared.items():
        wrong = [*_unknown(entry, OPTION_KEYS, f"options.{name}.", "an option")]
        if "default" not in entry:
            wrong.append(RuleProblem(f"options.{name}", "needs a default."))
        wrong += _limits(f"options.{name}", entry)
        problems += wrong
        if wrong:
            continue
        capped = _capped(entry, limits.get(name))
        _take(values, f"options.{name}.default", name, capped, entry["default"], problems)
    for name, value in chosen.items():
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}."
            problems.append(RuleProblem(f"option {name}", f"is unknown; {hint}"))
            continue
        entry = _capped(declared.get(name, {}), limits.get(name))
        _take(values, f"option {name}", name, entry, value, problems)
    return values


def _capped(entry: Mapping[str, Any], most: int | None) -> Mapping[str, Any]:
    """Return what a file says of an option, with the most that it may be at all."""
    high = entry.get("max", most)
    return entry if most is None or type(high) is not int else {**entry, "max": min(high, most)}


def _limits(path: str, entry: Mapping[str, Any]) -> Iterator[RuleProblem]:
    for key in ("min", "max"):
        if key in entry and type(entry[key]) is not int:
            yield RuleProblem(f"{path}.{key}", "must be a whole number.")
    for key in ("not", "choices"):
        if not isinstance(entry.get(key, []), list | tuple):
            yield RuleProblem(f"{path}.{key}", "must be a list.")


def _take(  # noqa: PLR0913 - its two callers differ in each of these
    values: dict[str, OptionValue],
    path: str,
    name: str,
    entry: Mapping[str, Any],
    value: object,
    problems: list[RuleProblem],
) -> None:
    try:
        like = STANDARD_OPTIONS.get(name, entry.get("default"))
        choices = entry.get("choices", STANDARD_CHOICES.get(name))
        values[name] = _option(path, entry, like, choices, value)
    except _Mistake as mistake:
        problems.append(mistake.problem)


def _option(
    path: str,
    entry: Mapping[str, Any],
    like: object,
    choices: Sequence[str] | None,
    value: object,
) -> OptionValue:
    if isinstance(like, bool):
        return _truth(path, value)
    if isinstance(like, int):
        return _limited(path, entry, _whole(path, value))
    text = str(value)
    if choices is not None and text not in choices:
        raise _Mistake(path, f"is {text!r}; it must be one of {', '.join(map(str, choices))}.")
    return text


def _truth(path: str, value: object) -> bool:
    words = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.casefold() in words:
        return words[value.casefold()]
    raise _Mistake(path, f"is {value!r}; it must be true or false.")


def _whole(path: str, value: object) -> int:
    if isinstance(value, str):
        try:
            return int(value.replace(",", "").removeprefix("£"))
        except ValueError:
            pass
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise _Mistake(path, f"is {value!r}; it must be a whole number.")


def _limited(path: str, entry: Mapping[str, Any], number: int) -> int:
    low, high, refused = entry.get("min", 0), entry.get("max"), entry.get("not", ())
    if number < low:
        raise _Mistake(path, f"is {number}; it must be {low} or more.")
    if high is not None and number > high:
        raise _Mistake(path, f"is {number}; it must be {high} or less.")
    if number in refused:
        raise _Mistake(path, f"cannot be {number}.")
    return number


def _frame(source: Mapping[str, Any], players: int) -> int:
    allowed = source.get("players")
    match allowed:
        case {"min": int(low), "max": int(high)}:
            fits, words = low <= players <= high, f"{low} to {high}"
        case [*numbers] if numbers and all(isinstance(number, int) for number in numbers):
            fits, words = players in numbers, " or ".join(map(str, numbers))
        case _:
            raise _Mistake("players", "must be a list such as [6, 8], or { min = 3, max = 7 }.")
    if not fits:
        raise _Mistake("players", f"this game takes {words} players, not {players}.")
    tables = source.get("tables")
    if tables == "half":
        return players // 2
    if isinstance(tables, int) and not isinstance(tables, bool) and 0 < tables <= 26:  # noqa: PLR2004 - one letter each
        return tables
    raise _Mistake("tables", 'must be "half" or a number from 1 to 26.')


def _text(table: Mapping[str, Any], key: str, path: str) -> str:
    value = table.get(key)
    if isinstance(value, str) and value.strip():
        return value
    raise _Mistake(path, "must be some text.")


def _jokers(source: Mapping[str, Any]) -> int:
    pack = source.get("pack", {})
    if not isinstance(pack, Mapping):
        raise _Mistake("pack", "must be a table such as { jokers = 4 }.")
    for problem in _unknown(pack, ("jokers",), "pack.", "a pack"):
        raise _Mistake(problem.path, problem.sentence)
    jokers = _whole("pack.jokers", pack.get("jokers", 0))
    if not 0 <= jokers <= 4:  # noqa: PLR2004 - RULES.md 7.5
        raise _Mistake("pack.jokers", "must be 0 to 4.")
    return jokers


def _phases(
    source: Mapping[str, Any], options: Mapping[str, OptionValue], problems: list[RuleProblem]
) -> tuple[Phase, ...]:
    listed = source.get("phase")
    if not isinstance(listed, Sequence) or isinstance(listed, str) or not listed:
        problems.append(RuleProblem("phase", "must be a list of [[phase]] tables."))
        return ()
    phases: list[Phase] = []
    for index, table in enumerate(listed):
        try:
            phases.append(_Reader(f"phase[{index}]", table, options).phase())
        except _Mistake as mistake:
            problems.append(mistake.problem)
    for kind, needed in ((HandsPhase, "hands"), (DealPhase, "deal")):
        if not problems and sum(isinstance(phase, kind) for phase in phases) != 1:
            problems.append(RuleProblem("phase", f'needs exactly one phase of kind "{needed}".'))
    return tuple(phases)


class _Reader:
    """Reads one [[phase]] table, with "$name" put in from the options."""

    KEYS: Mapping[str, tuple[str, ...]] = {
        "hands": ("size",),
        "deal": ("cards",),
        "give": ("among", "gifts"),
        "keep": ("cards", "expose"),
        "ante": ("amount",),
        "betting": (
            *("first", "open", "answer", "closes"),
            *("min_raise", "max_raise", "raise_cap", "check_limit"),
        ),
        "expose": ("cards",),
    }

    def __init__(self, path: str, table: object, options: Mapping[str, OptionValue]) -> None:
        if not isinstance(table, Mapping):
            raise _Mistake(path, "must be a table.")
        self.path, self.table, self.options = path, table, options

    def phase(self) -> Phase:
        """Return the phase that the table describes."""
        kind = self.table.get("kind")
        if not isinstance(kind, str) or kind not in self.KEYS:
            raise _Mistake(f"{self.path}.kind", f"must be one of {', '.join(self.KEYS)}.")
        known = ("kind", *self.KEYS[kind])
        for problem in _unknown(self.table, known, f"{self.path}.", f"a {kind} phase"):
            raise _Mistake(problem.path, problem.sentence)
        make: Mapping[str, Callable[[], Phase]] = {
            "hands": self.hands,
            "deal": lambda: DealPhase(self.number("cards", 1)),
            "give": self.give,
            "keep": self.keep,
            "ante": lambda: AntePhase(self.number("amount", 0)),
            "betting": self.betting,
            "expose": lambda: ExposePhase(self.number("cards", 1)),
        }
        return make[kind]()

    def hands(self) -> HandsPhase:
        """Read who plays whom; "table" puts everybody in one hand."""
        return HandsPhase(0 if self.table.get("size") == "table" else self.number("size", 2))

    def keep(self) -> KeepPhase:
        """Read how many are kept and exposed."""
        keep = KeepPhase(self.number("cards", 1), self.number("expose", 0))
        if keep.cards != HAND_CARDS:
            raise _Mistake(f"{self.path}.cards", f"must be {HAND_CARDS}: so many make a hand.")
        if keep.expose > keep.cards:
            raise _Mistake(f"{self.path}.expose", f"must be {keep.cards} or less.")
        return keep

    def number(self, key: str, least: int, default: int | None = None) -> int:
        value = self.table.get(key, default)
        path = f"{self.path}.{key}"
        if value is None:
            raise _Mistake(path, "is missing; it must be a whole number.")
        if isinstance(value, str) and value.startswith("$"):
            if value[1:] not in self.options:
                raise _Mistake(path, f"names the option {value[1:]!r}, which [options] lacks.")
            # What the GM has set is told by the name under which he has set it.
            path, value = f"option {value[1:]}", self.options[value[1:]]
        number = _whole(path, value)
        if number < least:
            raise _Mistake(path, f"is {number}; it must be {least} or more.")
        return number

    def give(self) -> GivePhase:
        among = self.table.get("among", "table")
        if among not in ("table", "hand"):
            raise _Mistake(f"{self.path}.among", 'must be "table" or "hand".')
        gifts = self.table.get("gifts")
        if not isinstance(gifts, Sequence) or isinstance(gifts, str) or not gifts:
            raise _Mistake(f"{self.path}.gifts", "must be a list such as [{ to = 1, cards = 2 }].")
        read: list[GiftRule] = []
        for index, gift in enumerate(gifts):
            match gift:
                case {"to": int(to), "cards": int(cards)} if to and cards > 0 and len(gift) == 2:  # noqa: PLR2004 - the two keys
                    read.append(GiftRule(to, cards))
                case _:
                    path = f"{self.path}.gifts[{index}]"
                    raise _Mistake(path, "must be { to = seats onward, cards = how many }.")
        return GivePhase(among, tuple(read))

    def betting(self) -> BettingPhase:
        if self.table.get("first", "best-showing") != "best-showing":
            raise _Mistake(f"{self.path}.first", 'must be "best-showing".')
        limit = self.number("check_limit", 0, int(self.options["check_limit"]))
        if 0 < limit < SMALLEST_CHECK_LIMIT:
            raise _Mistake(f"{self.path}.check_limit", "cannot be 1.")
        return BettingPhase(
            open=self.verbs("open"),
            answer=self.verbs("answer"),
            closes=self.verbs("closes", needed=False),
            min_raise=self.number("min_raise", 1, int(self.options["min_raise"])),
            max_raise=self.number("max_raise", 1, int(self.options["max_raise"])),
            raise_cap=self.number("raise_cap", 0, int(self.options["raise_cap"])),
            check_limit=limit,
        )

    def verbs(self, key: str, *, needed: bool = True) -> tuple[Verb, ...]:
        given = self.table.get(key, () if not needed else None)
        if isinstance(given, Sequence) and not isinstance(given, str):
            read = tuple(verb for verb in VERBS if verb in given)
            if len(read) == len(given) and (read or not needed):
                return read
        raise _Mistake(f"{self.path}.{key}", f"must be a list of {', '.join(VERBS)}.")

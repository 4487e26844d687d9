"""Game records: reading one, playing it again, and saying where the outcome differs (RECORD.md)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from postal.engine.cards import Card, full_pack, without
from postal.engine.editions import EDITIONS, NEWEST, rulings
from postal.engine.events import Nmr
from postal.engine.game import TableSetup, start
from postal.engine.rulefile import option_choices
from postal.engine.rules import STANDARD_OPTIONS, Rules
from postal.engine.state import Game, Hand
from postal.errors import PostalError, UsageError
from postal.service.gamefiles import load_game_file, make_rules
from postal.service.records.course import Course
from postal.service.records.play import RecordLine, play_lines

FORMAT = "postal-record/1"


class NoRecordError(UsageError):
    """A file that is no game record: one line, exit code 2."""


_MailNumber = Annotated[int, Field(strict=True, ge=1)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid")
    table: str
    seats: list[str]
    pack: list[str] = Field(repr=False)


class _Turn(BaseModel):
    model_config = ConfigDict(extra="ignore")
    lines: list[tuple[str, str] | tuple[str, str, _MailNumber]] = Field(
        default_factory=list, repr=False
    )
    unheard: list[str] = Field(default_factory=list)
    void: bool = False
    turn: Annotated[int, Field(strict=True, ge=1)] | None = None


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=False)
    format: str
    rules: str | dict[str, Any]
    engine: str = ""
    edition: Annotated[int, Field(strict=True)] | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    players: list[str]
    deal: int = 1
    tables: list[_Table]
    turns: list[_Turn] = Field(default_factory=list)
    outcome: dict[str, Any] | None = None


@dataclass(frozen=True)
class Record:
    """A record that was read: the game as dealt, the lines of each turn, and its outcome.

    ``places`` says of each what its number is, and whether it is void (RULES.md 10.7); empty: none
    is, and they are numbered from 1. ``unheard`` names for each those whose lines are no sign of
    life of theirs, since the GM put them in (9.4); empty: nobody's.
    """

    game: Game
    turns: tuple[tuple[RecordLine, ...], ...] = field(repr=False)
    outcome: Mapping[str, Any] | None = field(repr=False)
    places: tuple[tuple[int, bool], ...] = ()
    unheard: tuple[Collection[str], ...] = ()


@dataclass(frozen=True)
class Replay:
    """A record played again: the game after the last turn, and the outcome as RECORD.md has it."""

    game: Game
    outcome: Mapping[str, Any] = field(repr=False)


def load_record(path: Path, games: Sequence[Path]) -> Record:
    """Read a record's file; ``games`` are the folders of game files. Raises NoRecordError."""
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise NoRecordError(f"{path}: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise NoRecordError(f"{path}: no game record: it is not UTF-8 text.") from None
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise NoRecordError(f"{path}: no game record: it is not JSON at {where}.") from None
    except (ValueError, RecursionError):
        says = "its JSON is nested too deeply, or has a number too long"
        raise NoRecordError(f"{path}: no game record: {says}.") from None
    try:
        json.dumps(data, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise NoRecordError(f"{path}: no game record: it holds half a character.") from None
    try:
        return read_record(data, games)
    except NoRecordError as error:
        raise NoRecordError(f"{path}: no game record: {error}") from None


def read_record(data: object, games: Sequence[Path]) -> Record:
    """Return the record of parsed JSON. Raises NoRecordError with what is wrong."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise NoRecordError(f'"format" must be "{FORMAT}".')
    try:
        file = _File.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise NoRecordError(f"{where}: {first['msg']}.") from None
    rules = _rules(file, games)
    if len(set(file.players)) != len(file.players) or not all(file.players):
        raise NoRecordError("players must be different names.")
    tables = [_setup(table, rules, file.players, place) for place, table in enumerate(file.tables)]
    if len(tables) != rules.tables:
        raise NoRecordError(f"tables: there must be {rules.tables}, not {len(tables)}.")
    for number, turn in enumerate(file.turns, 1):
        for player in (*(line[0] for line in turn.lines), *turn.unheard):
            if player not in file.players:
                raise NoRecordError(f"turn {number}: {player!r} is none of the players.")
    game = start(rules, file.players, tables, deal=file.deal)
    turns = tuple(tuple(turn.lines) for turn in file.turns)
    unheard = tuple(turn.unheard for turn in file.turns)
    return Record(game, turns, file.outcome, _places(file.turns), unheard)


def replay(record: Record) -> Replay:
    """Play a record from its deal; the same record always gives the same outcome (10.2)."""
    game, course = record.game, Course(record.game)
    problems: list[dict[str, Any]] = []
    nmr: list[dict[str, Any]] = []
    places = record.places or tuple((number, False) for number in range(1, len(record.turns) + 1))
    unheard = record.unheard or ((),) * len(record.turns)
    for (turn, void), lines, silent in zip(places, record.turns, unheard, strict=True):
        played = play_lines(course.before(turn), lines, silent)
        course.went_on(turn, played.game, played.events)
        if void:
            continue
        game = played.game
        problems += [
            {"turn": turn, "player": player, "line": problem.line, "code": problem.code}
            for player, problem in played.problems
        ]
        nmr += [
            {"turn": turn, "player": event.player, "hand": event.hand, "used": event.used}
            for event in played.events
            if isinstance(event, Nmr)
        ]
    outcome = {
        "finished": game.finished,
        "balances": dict(game.balances),
        "hands": [_hand(hand) for hand in game.hands],
        "problems": problems,
        "nmr": nmr,
    }
    return Replay(game, outcome)


def differences(expected: Mapping[str, Any], found: Mapping[str, Any]) -> tuple[str, ...]:
    """Return where two outcomes differ, a line each; none where they agree.

    The order of cards shown, of winners, problems and NMRs makes no difference, nor does what
    the expected outcome leaves out; but a hand that says what was paid, and of no IOU, had none.
    """
    return tuple(_compare("outcome", _ordered(expected), _ordered(found)))


def write_record(
    game: Game,
    turns: Sequence[Sequence[RecordLine]],
    engine: str,
    places: Sequence[tuple[int, bool]] = (),
    unheard: Sequence[Collection[str]] = (),
) -> str:
    """Return the record of a game as JSON text, with the outcome that its replay gives.

    ``game`` is the game as dealt, ``turns`` the lines used in each turn in the order of
    acceptance, ``places`` their numbers and whether they are void (none: not one is), ``unheard``
    whose lines in them are no sign of life (none: nobody's). The rules go in whole, the options as
    far as they differ from the file's.
    """
    rules = game.rules
    declared = {
        name: entry["default"] for name, entry in dict(rules.source.get("options", {})).items()
    }
    plain = rules
    if declared:
        plain = make_rules(rules.source, {}, rules.players, edition=rules.edition)
    data: dict[str, Any] = {
        "format": FORMAT,
        "rules": rules.source,
        "engine": engine,
        "edition": rules.edition,
        "options": {
            name: value for name, value in rules.options.items() if plain.options.get(name) != value
        },
        "players": list(game.players),
        "deal": game.deal,
        "tables": [
            {"table": table.letter, "seats": list(table.players), "pack": _pack(game, place)}
            for place, table in enumerate(game.tables)
        ],
        "turns": [{"lines": [list(line) for line in lines]} for lines in turns],
    }
    for (number, void), turn in zip(places, data["turns"], strict=False):
        if void:
            turn |= {"turn": number, "void": True}
    for silent, turn in zip(unheard, data["turns"], strict=False):
        if silent:
            turn["unheard"] = sorted(silent)
    played = tuple(tuple(lines) for lines in turns)
    record = Record(game, played, None, tuple(places), tuple(unheard))
    data["outcome"] = replay(record).outcome
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _places(turns: Sequence[_Turn]) -> tuple[tuple[int, bool], ...]:
    """Return the number of each turn, and whether it is void; NoRecordError where that can't be.

    A void turn that tells no number follows the one before it.
    """
    found: list[tuple[int, bool]] = []
    reached, live, before = {1}, 0, 0
    for place, turn in enumerate(turns, 1):
        number = (turn.turn or before + 1) if turn.void else live + 1
        if number not in reached or number <= live or turn.turn not in (None, number):
            raise NoRecordError(f"turns[{place}]: it can't be turn {turn.turn or number}.")
        live += not turn.void
        before = number
        reached.add(number + 1)
        found.append((number, turn.void))
    return tuple(found)


def _rules(file: _File, games: Sequence[Path]) -> Rules:
    try:
        edition, options = _edition(file), file.options
        if isinstance(file.rules, str):
            source = load_game_file(file.rules, games)
            options = {**_as_before(source, edition), **options}
        else:
            source = file.rules
        return make_rules(source, options, len(file.players), edition=edition)
    except PostalError as error:
        raise NoRecordError(str(error).replace("\n", " ")) from None


def _edition(file: _File) -> int:
    """Return the edition of a record: where it names none the first if it holds its rules."""
    edition = file.edition
    if edition is None:
        edition = NEWEST if isinstance(file.rules, str) else 1
    if edition not in EDITIONS:
        known = " or ".join(map(str, EDITIONS))
        raise NoRecordError(f"edition: must be {known}, not {edition}.")
    return edition


def _as_before(source: Mapping[str, Any], edition: int) -> dict[str, int | str]:
    """Return the options whose default in a game file of today is that of a later edition."""
    declared = option_choices(source)
    return {
        name: value
        for name, value in rulings(edition).standard.items()
        if declared.get(name, {}).get("default") == STANDARD_OPTIONS[name]
    }


def _setup(table: _Table, rules: Rules, players: Sequence[str], place: int) -> TableSetup:
    letter = chr(ord("A") + place)
    if table.table != letter:
        raise NoRecordError(f"table {table.table!r} must be {letter!r}: tables stand in order.")
    if sorted(table.seats) != sorted(players):
        raise NoRecordError(f"table {letter} must seat every player once.")
    try:
        pack = tuple(Card.parse(text) for text in table.pack)
    except ValueError as error:
        raise NoRecordError(f"table {letter}: {error}.") from None
    if without(full_pack(rules.jokers), pack) is None:
        raise NoRecordError(f"table {letter}: the pack has a card too often.")
    if len(pack) < rules.dealt * len(players):
        raise NoRecordError(f"table {letter}: the pack has too few cards to deal.")
    return TableSetup(letter, tuple(table.seats), pack)


def _hand(hand: Hand) -> dict[str, Any]:
    result: dict[str, Any] = {
        "hand": hand.name,
        "players": [seat.player for seat in hand.seats],
        "end": hand.end or None,
        "winners": list(hand.winners),
        "pot": hand.staked,
        "paid": {seat.player: seat.paid for seat in hand.seats},
        "won": {seat.player: seat.won for seat in hand.seats if seat.player in hand.winners},
    }
    ious = {seat.player: seat.iou for seat in hand.seats if seat.iou}
    if ious:
        result["iou"] = ious
    result["shown"] = {seat.player: [str(card) for card in seat.shown] for seat in hand.seats}
    return result


def _pack(game: Game, place: int) -> list[str]:
    """Return a table's pack in the order dealt: one card at a time, seat 1 first."""
    table = game.tables[place]
    dealt = {
        seat.player: seat.dealt
        for hand in game.hands
        if hand.table == table.letter
        for seat in hand.seats
    }
    rounds = range(game.rules.dealt)
    cards = [dealt[player][number] for number in rounds for player in table.players]
    return [str(card) for card in (*cards, *table.stock)]


def _ordered(outcome: Mapping[str, Any]) -> dict[str, Any]:
    """Return an outcome with what has no order of its own put in one."""
    plain = json.loads(json.dumps(outcome))
    for key in ("problems", "nmr"):
        if isinstance(plain.get(key), list):
            plain[key].sort(key=lambda entry: json.dumps(entry, sort_keys=True))
    for hand in plain.get("hands", ()) if isinstance(plain.get("hands"), list) else ():
        if isinstance(hand, dict):
            _order_hand(hand)
    return dict(plain)


def _order_hand(hand: dict[str, Any]) -> None:
    if "paid" in hand:
        hand.setdefault("iou", {})
    if isinstance(hand.get("winners"), list):
        hand["winners"].sort(key=str)
    shown = hand.get("shown")
    if isinstance(shown, dict):
        for player, cards in shown.items():
            if isinstance(cards, list):
                shown[player] = sorted(_card(card) for card in cards)


def _compare(path: str, expected: object, found: object) -> Iterator[str]:
    if isinstance(expected, dict) and isinstance(found, dict) and not path.endswith(".iou"):
        for key, value in expected.items():
            if key in found:
                yield from _compare(f"{path}.{key}", value, found[key])
            else:
                yield f"{path}.{key}: the record has {value!r}, the replay has none"
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield f"{path}: the record has {len(expected)}, the replay has {len(found)}"
        for index, (value, other) in enumerate(zip(expected, found, strict=False)):
            yield from _compare(f"{path}[{index}]", value, other)
    elif expected != found:
        yield f"{path}: the record has {expected!r}, the replay has {found!r}"


def _card(text: object) -> str:
    """Return a card as it is compared: its canonical text, or what stands there."""
    try:
        return str(Card.parse(str(text)))
    except ValueError:
        return str(text)

"""Game records: hand-written ones, random ones by the hundred, and those of stored games."""

import json
import random
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from postal.engine.game import due
from postal.engine.rules import Rules
from postal.errors import PostalError
from postal.resources import games_path
from postal.service.desk.adjudicate import force_turn
from postal.service.gamefiles import load_game_file, make_rules
from postal.service.records.dealing import deal
from postal.service.records.export import export_game
from postal.service.records.play import play_lines
from postal.service.records.record import (
    NoRecordError,
    differences,
    load_record,
    read_record,
    replay,
    write_record,
)
from tests.service.service_league import (
    EIGHT,
    HOUR,
    SECRET,
    SIX,
    SLUG,
    League,
    random_lines,
)

GAMES = games_path(Path("nowhere"))
RECORDS = sorted((Path(__file__).parent.parent / "records").glob("*.json"))
SAMPLE = next(path for path in RECORDS if path.stem == "smith-sample-hand")


def sample() -> Any:
    """Return the record of Smith's sample hand as JSON."""
    return json.loads(SAMPLE.read_text("utf-8"))


@pytest.mark.parametrize("path", RECORDS, ids=[path.stem for path in RECORDS])
def test_a_hand_written_record_replays_to_its_outcome(path: Path) -> None:
    """To the letter, problems and NMRs too."""
    record = load_record(path, GAMES)
    assert record.outcome is not None
    found = replay(record).outcome
    assert differences(record.outcome, found) == ()
    assert differences(found, record.outcome) == ()


def test_smiths_sample_hand() -> None:
    """Joe -160,000 and Puke +160,000, antes included; no hidden card shown."""
    outcome = replay(load_record(SAMPLE, GAMES)).outcome
    hand = outcome["hands"][0]
    assert (hand["hand"], hand["end"], hand["winners"]) == ("A1", "fold", ["Puke"])
    net = {player: hand["won"].get(player, 0) - paid for player, paid in hand["paid"].items()}
    assert net == {"Joe": -160_000, "Puke": 160_000}
    assert hand["shown"] == {"Joe": ["AS", "AD", "AH", "KC"], "Puke": ["KS", "KD", "KH", "9C"]}


def random_rules(pick: random.Random, players: int) -> Rules:
    """Return Smith's rules with options picked at random."""
    limited = pick.choice((0, 2, 4))
    options = {
        "ante": pick.choice((0, 10_000, 20_000, 50_000)),
        "check_limit": limited,
        "iou": pick.choice(("call", "stay-and-call")),
        "double_ace_flush": pick.choice((True, False)),
        "exposed_to": pick.choice(("all", "opponent")),
        "exchange": pick.choice(("orders", "post")),
        "first_on_tie": pick.choice(("lower-seat", "higher-seat")),
        "nmr_limit": pick.choice((0, 1, 2)) if limited else pick.choice((1, 2)),
        "raise_cap": pick.choice((0, 0, 1, 3)),
        "start_money": pick.choice((200_000, 1_000_000)),
    }
    return make_rules(load_game_file("smith", GAMES), options, players)


def random_record(seed: int) -> None:
    """Play a game of random lines and hold its record against it."""
    pick = random.Random(seed)
    names = pick.choice((SIX, EIGHT))
    rules = random_rules(pick, len(names))
    dealt = deal(rules, f"r{seed}", names, SECRET)
    game, turns = dealt, list[list[tuple[str, str]]]()
    while not game.finished and len(turns) < 30:
        writers = pick.sample(names, len(names))
        lines = [(name, line) for name in writers for line in random_lines(game, pick, name)]
        game = play_lines(game, lines).game
        turns.append(lines)
        assert game.total == rules.start_money * len(names)
    text = write_record(dealt, turns, "0.1.0")
    outcome = json.loads(text)["outcome"]
    assert outcome["balances"] == dict(game.balances)
    assert outcome["finished"] == game.finished
    pots = sum(hand["pot"] - sum(hand["won"].values()) for hand in outcome["hands"])
    assert sum(outcome["balances"].values()) + pots == rules.start_money * len(names)
    if seed % 4 == 0:
        record = read_record(json.loads(text), GAMES)
        assert json.loads(json.dumps(replay(record).outcome)) == outcome
        assert differences(outcome, replay(record).outcome) == ()


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(start, start + 20), marks=pytest.mark.slow if start else ())
        for start in range(0, 100, 20)
    ],
    ids=str,
)
def test_random_records_replay_the_same(seeds: Sequence[int]) -> None:
    """Legal, illegal and missing orders in many spellings: no crash, and money adds up."""
    for seed in seeds:
        random_record(seed)


@pytest.mark.parametrize("exchange", ["orders", "post"])
def test_the_export_of_a_stored_game_replays_to_the_same(quick: League, exchange: str) -> None:
    """Played by mail, with changed minds, cancels, refused lines and silence."""
    quick.begin("other", exchange=exchange, settle=0)
    pick = random.Random(exchange)
    while not (game := quick.loaded("other").game).finished and game.turn < 7:
        for _ in range(2):
            for player in pick.sample(SIX, 3):
                lines = random_lines(game, pick, player)
                quick.write(player, "\n".join(lines) + "\n", slug="other")
            quick.poll()
        quick.clock.advance(timedelta(days=8))
        quick.poll()
        quick.due()
    while not quick.loaded("other").game.finished:
        force_turn(quick.work, "other")
    text = export_game(quick.work, "other")
    record = read_record(json.loads(text), GAMES)
    outcome = replay(record).outcome
    assert differences(record.outcome or {}, outcome) == ()
    game = quick.loaded("other").game
    assert outcome["balances"] == dict(game.balances)
    assert outcome["finished"]
    ends = [(hand.name, hand.end, list(hand.winners)) for hand in game.hands]
    assert [(one["hand"], one["end"], one["winners"]) for one in outcome["hands"]] == ends
    assert SECRET.hex() not in text


def test_a_sign_of_life_stands_in_the_export(quick: League) -> None:
    """Or the replay would leave a player dropped who had come back (9.4)."""
    for _ in range(2):
        quick.order_all("Ann")
        quick.clock.advance(timedelta(days=8))
        quick.poll()
        quick.due()
    quick.write("Ann", "ready")
    quick.poll()
    quick.clock.advance(HOUR)
    force_turn(quick.work, SLUG)
    turns = json.loads(export_game(quick.work, SLUG, sealed=True))["turns"]
    assert turns[2]["lines"] == [["Ann", "ready", 1]]


def test_a_game_in_play_is_exported_sealed_only(quick: League) -> None:
    """Its record opens every card; and so does that of a game whose cards stay secret (10.4)."""
    with pytest.raises(PostalError, match="--sealed"):
        export_game(quick.work, SLUG)
    assert json.loads(export_game(quick.work, SLUG, sealed=True))["turns"] == []
    quick.begin("never", reveal="never")
    while not quick.loaded("never").game.finished:
        force_turn(quick.work, "never")
    with pytest.raises(PostalError, match="never opened"):
        export_game(quick.work, "never")


def test_cards_beyond_the_deal_and_the_outcome_may_be_left_out() -> None:
    """RECORD.md."""
    data = sample()
    whole = replay(read_record(data, GAMES)).outcome
    del data["outcome"], data["engine"], data["deal"], data["tables"][0]["pack"][42:]
    assert replay(read_record(data, GAMES)).outcome == whole


def test_what_differs_is_named() -> None:
    """By its place; the order of cards shown makes no difference."""
    data = sample()
    outcome = replay(read_record(data, GAMES)).outcome
    data["outcome"]["hands"][0]["shown"]["Joe"].reverse()
    assert differences(data["outcome"], outcome) == ()
    data["outcome"]["balances"]["Joe"] += 1
    data["outcome"]["nmr"].pop()
    lines = differences(data["outcome"], outcome)
    assert any("balances.Joe" in line and "840001" in line for line in lines)
    assert any("nmr" in line for line in lines)


def test_an_iou_too_many_differs() -> None:
    """It stands in a record only where one was written, so its absence says something too."""
    outcome = replay(read_record(sample(), GAMES)).outcome
    written = json.loads(json.dumps(outcome))
    written["hands"][0]["iou"] = {"Joe": 15_000}
    for expected, found in ((outcome, written), (written, outcome)):
        assert ["hands[0].iou" in line for line in differences(expected, found)] == [True]
    written["hands"][0].pop("iou")
    assert differences(written, outcome) == ()


@pytest.mark.parametrize("exchange", ["orders", "post"])
def test_all_lines_of_a_player_are_one_mail(exchange: str) -> None:
    """8.2: the hands' order decides what is covered, whoever's lines stand between (RECORD.md)."""
    data = sample()
    data["options"] = {"start_money": 100_000, "exchange": exchange}
    data["turns"] = data["turns"][:2]
    game = replay(read_record(data, GAMES)).game
    player = next(
        name for name in game.players if len([1 for one, _ in due(game) if one == name]) > 1
    )
    first, second = [hand for one, hand in due(game) if one == player][:2]
    other = next(name for name in game.players if name != player)
    lines = [
        (player, f"{second}: raise 30000"),
        (other, "ready"),
        (player, f"{first}: raise 30000"),
    ]
    played = play_lines(game, lines)
    refused = [(name, problem.code, problem.hand) for name, problem in played.problems]
    assert refused == [(player, "not-covered", second)]


MISTAKES: dict[str, dict[str, Any]] = {
    "format": {"format": "postal-record/9"},
    "no players": {"players": []},
    "seven players": {"players": ["a", "b", "c", "d", "e", "f", "g"]},
    "one twice": {"players": ["Joe", "Joe", "Ann", "Bob", "Cleo", "Dan"]},
    "no such rules": {"rules": "nonsense"},
    "rules a list": {"rules": []},
    "rules empty": {"rules": {}},
    "no such option": {"options": {"nonsense": 1}},
    "a bad option": {"options": {"check_limit": "many"}},
    "a poor option": {"options": {"start_money": 10}},
    "no tables": {"tables": []},
    "tables a word": {"tables": "A"},
    "turns a number": {"turns": 3},
    "a stranger": {"turns": [{"lines": [["Eve", "A: fold"]]}]},
    "a line alone": {"turns": [{"lines": ["A: fold"]}]},
    "a line of three": {"turns": [{"lines": [["Joe", "A: fold", "x"]]}]},
    "a line of numbers": {"turns": [{"lines": [[1, 2]]}]},
    "deal a word": {"deal": "first"},
    "outcome a list": {"outcome": []},
}


@pytest.mark.parametrize("name", list(MISTAKES))
def test_a_mistake_in_a_record_is_one_line(name: str) -> None:
    """And nothing else."""
    with pytest.raises(NoRecordError) as found:
        read_record({**sample(), **MISTAKES[name]}, GAMES)
    assert len(str(found.value).splitlines()) == 1
    assert found.value.exit_code == 2


@pytest.mark.parametrize(
    "change",
    [
        {"seats": ["Joe"]},
        {"table": "B"},
        {"pack": ["AS"] * 56},
        {"pack": ["AS"]},
        {"pack": ["XX"] * 56},
        {"pack": [1] * 56},
    ],
    ids=str,
)
def test_a_mistake_in_a_table_is_one_line(change: dict[str, Any]) -> None:
    """A pack is a pack, and everybody sits at each table once."""
    data = sample()
    data["tables"][0] |= change
    with pytest.raises(NoRecordError) as found:
        read_record(data, GAMES)
    assert len(str(found.value).splitlines()) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not JSON",
        b"[]",
        b"null",
        b"3",
        b'{"format": "postal-record/1"}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"format": ' + b"9" * 5000 + b"}",
        SAMPLE.read_bytes().replace(b'"Joe"', b'"\\ud800"'),
    ],
    ids=lambda content: str(content[:24]),
)
def test_a_file_that_is_no_record_is_one_line(tmp_path: Path, content: bytes) -> None:
    """Whatever it is."""
    (tmp_path / "record.json").write_bytes(content)
    with pytest.raises(NoRecordError) as found:
        load_record(tmp_path / "record.json", GAMES)
    assert len(str(found.value).splitlines()) == 1


def test_a_folder_is_no_record(tmp_path: Path) -> None:
    """Nor is what isn't there."""
    for path in (tmp_path, tmp_path / "none.json"):
        with pytest.raises(NoRecordError):
            load_record(path, GAMES)

"""Evidence of the first edition: its games replay to the letter, its database plays on."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from postal.resources import games_path
from postal.service.desk.mails import list_mails
from postal.service.desk.mails_again import release
from postal.service.desk.overview import list_games, list_outbox, show_game, show_orders
from postal.service.records.export import export_game
from postal.service.records.record import differences, load_record, read_record, replay
from postal.service.records.verify import verify_game
from tests.records.kept import FOLDER, KEPT, OVER, RUNNING, kept_league, play_on
from tests.service.service_league import GM_BOX, League
from tests.store.earlier import migrated

GAMES = games_path(Path("nowhere"))
EXPORTED = sorted(set(FOLDER.glob("*.json")) - {FOLDER / "database.json"})
WRITTEN = sorted((FOLDER / "written").glob("*.json"))
PLAYERS: dict[str, dict[str, Any]] = KEPT["games"][RUNNING]["players"]


def named(path: Path) -> str:
    """Return what a test of a record is called by."""
    return path.stem


def test_no_record_is_missing() -> None:
    """Else a test that finds none would pass."""
    assert (len(EXPORTED), len(WRITTEN)) == (20, 4)


@pytest.mark.parametrize("path", [*EXPORTED, *WRITTEN], ids=named)
def test_a_record_replays_to_the_outcome_written_in_it(path: Path) -> None:
    """To the letter, problems and NMRs too."""
    record = load_record(path, GAMES)
    assert record.outcome is not None
    found = replay(record).outcome
    assert differences(record.outcome, found) == ()
    assert differences(found, record.outcome) == ()


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    """Give the league on a copy of its database, at the moment at which that was kept."""
    league = kept_league(migrated(f"sqlite:///{tmp_path / 'postal.sqlite3'}"))
    yield league
    league.database.close()


def as_json(facts: object) -> Any:
    """Return facts as a command prints them with ``--json``; addresses without regard to case.

    Ann and ANN, whose addresses differ in that alone, have become one person.
    """

    def folded(entry: dict[str, Any]) -> dict[str, Any]:
        return {**entry, "address": entry["address"].lower()} if "address" in entry else entry

    return json.loads(json.dumps(facts), object_hook=folded)


def as_shown(league: League, slug: str) -> Any:
    """Return a game as it is shown, without what is told of it and its players beside that now."""
    facts = as_json(show_game(league.work, slug))
    assert facts.pop("calendar")
    for one in facts["players"]:
        assert one.pop("holder") == one["name"]
    return facts


def address(slug: str, player: str) -> str:
    """Return a player's registered address."""
    shown = KEPT["games"][slug]["show"]["players"]
    return next(str(one["address"]) for one in shown if one["name"] == player)


def answer(league: League, mail: dict[str, str], sender: str, text: str, way: str) -> None:
    """Answer a mail that was sent before, by its Reply-To or by its Message-ID alone, and poll."""
    headers = f"In-Reply-To: {mail['message_id']}\n" if way == "message_id" else ""
    raw = league.mail("Someone", f"{text}\n", token="", sender=sender, headers=headers)
    if way == "reply_to":
        raw = raw.replace(f"To: {GM_BOX}".encode(), f"To: {mail['reply_to']}".encode())
    league.post.deliver(raw)
    league.poll()


def orders(league: League, player: str) -> list[str]:
    """Return a player's orders on file in the running game."""
    shown = show_orders(league.work, RUNNING, reveal=True)["players"]
    return next(list(one["orders"]) for one in shown if one["name"] == player)


@pytest.mark.parametrize("slug", [OVER, RUNNING])
def test_a_stored_game_is_as_it_was_shown(league: League, slug: str) -> None:
    """And adjudicated again from its deal it gives the same states and events."""
    kept = KEPT["games"][slug]
    assert as_shown(league, slug) == as_json(kept["show"])
    found_orders = as_json(show_orders(league.work, slug))
    for one, before in zip(found_orders["players"], kept["orders"]["players"], strict=True):
        # What is told beside it now is no difference.
        assert {name: one[name] for name in before} == before
    known = {name: found_orders[name] for name in kept["orders"]}
    assert {**known, "players": kept["orders"]["players"]} == kept["orders"]
    turns, found = verify_game(league.work, slug)
    assert as_json({"turns": turns, "found": found}) == kept["verify"]
    assert found == ()


@pytest.mark.parametrize("slug", [OVER, RUNNING])
def test_the_export_of_a_stored_game_replays_to_the_kept_outcome(league: League, slug: str) -> None:
    """The running one sealed."""
    kept = KEPT["games"][slug]
    record = read_record(json.loads(export_game(league.work, slug, sealed=kept["sealed"])), GAMES)
    found = replay(record).outcome
    assert differences(kept["outcome"], found) == ()
    assert differences(found, kept["outcome"]) == ()


def test_the_lists_are_as_they_were(league: League) -> None:
    """Of games, of mails not sent, and of mails that came, by status and those for the GM."""
    assert as_json(list_games(league.work)) == KEPT["games_list"]
    waiting = [{**one, "because_of": ""} for one in KEPT["outbox"]]
    assert as_json(list_outbox(league.work)) == as_json(waiting)
    assert as_json(list_mails(league.work)) == KEPT["inbox_needing_gm"]
    found = {status: len(list_mails(league.work, [status])) for status in KEPT["inbox"]}
    assert found == KEPT["inbox"]


@pytest.mark.parametrize("way", ["reply_to", "message_id"])
@pytest.mark.parametrize("player", list(PLAYERS))
def test_an_answer_to_a_report_sent_before_is_taken(league: League, player: str, way: str) -> None:
    """By the token in it, which is the same as ever."""
    report = PLAYERS[player]
    line = report["orders"]["line"]
    assert line not in orders(league, player)
    answer(league, report, address(RUNNING, player), line, way)
    assert line in orders(league, player)
    receipt = league.outbox(player, "receipt")[-1]
    assert receipt.recipient.lower() == address(RUNNING, player).lower()


def test_what_ordered_nothing_before_orders_nothing_now(league: League) -> None:
    """The report of a game that is over, and a token that was revoked."""
    for player, report in KEPT["games"][OVER]["players"].items():
        answer(league, report, address(OVER, player), "A: fold", "reply_to")
    assert as_shown(league, OVER) == as_json(KEPT["games"][OVER]["show"])
    revoked = KEPT["revoked"]
    player = revoked["player"]
    answer(league, revoked, address(RUNNING, player), "A: fold", "reply_to")
    assert orders(league, player) == []


def test_a_second_address_counts_as_far_as_it_is_confirmed(league: League) -> None:
    """One was, and the other is by an answer to the mail that asked for it."""
    confirmed, asked = KEPT["addresses"]["confirmed"], KEPT["addresses"]["asked"]

    def receipted(one: dict[str, str]) -> str:
        answer(league, PLAYERS[one["player"]], one["address"], "status", "reply_to")
        return str(league.outbox(one["player"], "status", slug=RUNNING)[-1].recipient)

    assert receipted(confirmed) == confirmed["address"]
    assert receipted(asked) == address(RUNNING, asked["player"])
    answer(league, asked, asked["address"], "Yes, please.", "reply_to")
    assert receipted(asked) == asked["address"]


def test_a_mail_that_waited_or_was_held_is_taken_up(league: League) -> None:
    """The one by the next poll, the other by the GM's word."""
    waiting, held = KEPT["waiting_to_be_handled"], KEPT["held"]
    assert orders(league, waiting["player"]) == orders(league, held["player"]) == []
    league.poll()
    release(league.work, held["mail"])
    assert sorted(orders(league, waiting["player"])) == waiting["lines"]
    assert sorted(orders(league, held["player"])) == held["lines"]


def test_the_game_goes_on(league: League) -> None:
    """What was queued is sent, the turn is adjudicated at its deadline, and all of it verifies."""
    turn = play_on(league)
    assert turn == KEPT["games"][RUNNING]["turn"]
    assert verify_game(league.work, RUNNING) == (turn, ())

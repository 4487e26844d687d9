"""Turns are taken back and played again (RULES.md 10.7), under fire too."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from postal.engine.state import Seat
from postal.engine.view import Due, view
from postal.errors import PostalError, UsageError
from postal.service.desk import rollback
from postal.service.desk.amending import amend
from postal.service.desk.log import game_log
from postal.service.desk.newaddress import set_address
from postal.service.desk.replacing import replace_player, seat_robot
from postal.service.desk.rollback import RolledBack, roll_back, what_was_shown
from postal.service.inbound import handling, queue
from postal.service.inbound.robotseats import play_robots
from postal.service.loading import load_turn_file
from postal.service.records.export import export_game
from postal.service.records.record import read_record, replay
from postal.service.records.verify import verify_game
from postal.service.turns import adjudication
from postal.service.turns.adjudication import adjudicate_due
from postal.store.rows import Hindrance, OutboxRow, OutboxState
from tests.service.service_league import HOUR, SLUG, League, text_of
from tests.service.test_service_resigning import go_on, resign


def back(league: League, to: int, *opens: str) -> RolledBack:
    """Take turns back."""
    return roll_back(league.work, what_was_shown(league.work, SLUG, to), opens)


def token(league: League, player: str) -> str:
    """Return a player's token for the turn in play as it is now."""
    loaded = league.loaded()
    return league.work.token(loaded.row, loaded.game.turn, loaded.seat(player).seat)


def write(league: League, player: str, text: str) -> None:
    """Deliver a player's answer to the last mail, and poll."""
    league.write(player, text, token=token(league, player))
    league.poll()


def order_all(league: League) -> None:
    """Let everybody order the first example of all that he may."""
    for player in league.players:
        lines = [item.examples[0] for item in due(league, player) if item.examples]
        if lines:
            write(league, player, "\n".join(lines) + "\n")


def due(league: League, player: str) -> Sequence[Due]:
    """Return what is due from a player in the turn in play."""
    loaded = league.loaded()
    with league.database.reading() as session:
        book = load_turn_file(session, loaded).book
    return view(loaded.game, player, book).due


def all_on_file(league: League) -> dict[str, list[str]]:
    """Return everybody's orders on file."""
    return {player: league.on_file(player) for player in league.players}


def checked(league: League, turns: int) -> None:
    """Hold that verify is clean, of so many turns, and that the record gives the game again."""
    assert verify_game(league.work, SLUG) == (turns, ())
    record = read_record(json.loads(export_game(league.work, SLUG, sealed=True)), ())
    assert replay(record).game == league.loaded().game


@pytest.fixture
def given(dealt: League) -> League:
    """Return a league at turn 2, where Fay was silent in turn 1."""
    dealt.order_all("Fay")
    dealt.poll()
    turn = dealt.loaded().turn
    assert turn is not None
    assert turn.deadline is not None
    dealt.clock.move_to(turn.deadline)
    dealt.poll()
    assert len(dealt.due()) == 1
    dealt.send()
    return dealt


def test_the_orders_are_on_file_again_and_only_the_opened_may_change(given: League) -> None:
    """Ann may, everywhere, and Bob at one table; Fay, who had none, may not put one in."""
    before = given.turns()[1]
    done = back(given, 1, "ann", "Bob:B")
    assert (done.turn, done.attempt) == (1, 2)
    assert {player for player, _ in done.opened} == {"Ann", "Bob"}
    assert given.game.turn == 1
    filed = all_on_file(given)
    assert all(filed[player] for player in ("Ann", "Bob", "Cat", "Dan", "Eve"))
    assert filed["Fay"] == []

    changed = {}
    for player in ("Ann", "Bob", "Cat", "Fay"):
        for hand, index in given.game.hands_of(player):
            cards = hand.seats[index].dealt[::-1]
            line = f"{hand.table}: give {cards[0]} {cards[1]} next, {cards[2]} previous"
            changed[player, hand.table] = line
        write(given, player, "\n".join(changed[player, one] for one in "ABC"))
    after = all_on_file(given)
    assert sorted(after["Ann"]) == sorted(changed["Ann", one] for one in "ABC")
    assert changed["Bob", "B"] in after["Bob"]
    assert [line for line in after["Bob"] if line[0] != "B"] == [
        line for line in filed["Bob"] if line[0] != "B"
    ]
    assert (after["Cat"], after["Fay"]) == (filed["Cat"], [])
    refused = text_of(given.outbox("Cat", "receipt")[-1].raw)
    assert "in the turn that was taken back stands" in " ".join(refused.split())
    write(given, "Dan", "cancel all")
    assert all_on_file(given)["Dan"] == filed["Dan"]

    # Nobody waits for Fay, who may not order; what was void stays as it was.
    given.clock.advance(HOUR)
    given.poll()
    (adjudicated,) = given.due()
    assert adjudicated.why == "complete"
    kept = next(row for row in given.turns() if row.id == before.id)
    assert kept.void_at is not None
    assert (kept.orders, kept.events, kept.state) == (before.orders, before.events, before.state)
    checked(given, 2)
    for player in given.players:
        assert len([one for one in given.outbox(player, "report") if one.turn == 1]) == 2


def test_where_nobody_is_opened_it_comes_to_the_same(given: League) -> None:
    """All are told, the event stands in the log, and the money and cards are as they were."""
    was = given.game
    assert back(given, 1).opened == ()
    for player in given.players:
        (told,) = given.outbox(player, "rollback")
        assert "turn 1 is played again" in told.subject
        assert "taken turn 1 back" in " ".join(text_of(told.raw).split())
    given.clock.advance(HOUR)
    given.poll()
    assert len(given.due()) == 1
    assert given.game == was
    assert [one["what"] for one in game_log(given.work, SLUG)].count("rollback") == 1
    checked(given, 2)


def test_what_was_seen_stays_seen(betting: League) -> None:
    """A keep whose cards were exposed can't be changed, and they are shown as seen; also later."""
    game = betting.game
    seats = {(hand.name, seat.player): seat for hand in game.hands for seat in hand.seats}
    shown = what_was_shown(betting.work, SLUG, 2)
    exposed = " ".join(map(str, seats["A1", game.hand("A1").seats[0].player].shown))
    assert any(exposed in line for line in shown.lines)
    assert any("reports of turn 2 were written to Ann" in line for line in shown.lines)
    done = back(betting, 2, "all")
    assert done.opened == ()
    assert len(done.stands) == 18
    for hand in betting.game.hands:
        for seat in hand.seats:
            assert seat.known == seats[hand.name, seat.player].shown
    told = " ".join(text_of(betting.outbox("Ann", "rollback")[0].raw).split())
    assert "Seen in a turn that was taken back" in told
    betting.clock.advance(HOUR)
    betting.poll()
    assert len(betting.due()) == 1
    again = betting.game
    assert [hand.seats[0].shown for hand in again.hands] == [
        hand.seats[0].shown for hand in game.hands
    ]
    checked(betting, 3)


def test_a_keep_stands_also_when_turns_before_it_are_taken_back(betting: League) -> None:
    """Where the cards are the same again; a mail on it is refused."""
    keeps = betting.game
    back(betting, 1)
    betting.clock.advance(HOUR)
    betting.poll()
    assert len(betting.due()) == 1
    assert betting.game.turn == 2
    assert all(len(lines) == 3 for lines in all_on_file(betting).values())
    hand, index = next(betting.game.hands_of("Ann"))
    five = sorted(hand.seats[index].hidden)[:5]
    line = f"{hand.table}: keep {' '.join(map(str, five))} expose {' '.join(map(str, five[:3]))}"
    write(betting, "Ann", line)
    assert line not in betting.on_file("Ann")
    betting.clock.advance(HOUR)
    betting.poll()
    assert len(betting.due()) == 1
    assert [hand.seats for hand in keeps.hands] == [
        tuple(unseen(seat) for seat in hand.seats) for hand in betting.game.hands
    ]
    checked(betting, 4)


def unseen(seat: Seat) -> Seat:
    """Return a seat without what was seen of it in void turns."""
    return replace(seat, seen=())


def stay(league: League) -> None:
    """Let everybody who may stay do so, and the others raise; after that they expose."""
    for player in league.players:
        lines = []
        for item in due(league, player):
            if item.kind == "bet":
                verb = "stay" if "stay" in item.verbs else "raise 5000"
                lines.append(f"{item.table}: {verb}")
            else:
                seats = league.game.hand(item.hand).seats
                own = next(seat for seat in seats if seat.player == player)
                lines.append(f"{item.table}: expose {max(own.hidden)}")
        if lines:
            write(league, player, "\n".join(lines))
    league.clock.advance(HOUR)
    league.poll()
    assert len(league.due()) == 1


def test_an_exposure_that_was_seen_is_made_again(betting: League) -> None:
    """Named beside a bet or ordered for itself: another card is refused, and so by default."""
    stay(betting)
    stay(betting)
    stay(betting)  # the exposures
    game = betting.game
    hand = game.hand("A1")
    assert len(hand.seats[0].shown) == 4
    back(betting, 4, "all")
    now = betting.game.hand("A1")
    stays = now.seats[now.betting.to_act] if now.betting else now.seats[0]
    seen, other = stays.known[0], next(card for card in stays.hidden if card not in stays.known)
    write(betting, stays.player, f"A: stay expose {other}")
    assert "A: stay" in betting.on_file(stays.player)
    told = " ".join(text_of(betting.outbox(stays.player, "receipt")[-1].raw).split())
    assert f"you must expose {seen} again" in told
    write(betting, stays.player, f"A: stay expose {seen}")
    assert f"A: stay expose {seen}" in betting.on_file(stays.player)
    betting.clock.advance(HOUR)
    betting.poll()
    assert len(betting.due()) == 1

    first = next(seat for seat in betting.game.hand("A1").seats if seat.player != stays.player)
    other = next(card for card in first.hidden if card not in first.known)
    write(betting, first.player, f"A: expose {other}")
    assert not [line for line in betting.on_file(first.player) if line.startswith("A")]
    turn = betting.loaded().turn
    assert turn is not None
    assert turn.deadline is not None
    betting.clock.move_to(turn.deadline + 2 * HOUR)
    betting.poll()
    assert len(betting.due()) == 1
    assert sorted(betting.game.hand("A1").seats[0].shown) == sorted(hand.seats[0].shown)
    assert sorted(betting.game.hand("A1").seats[1].shown) == sorted(hand.seats[1].shown)
    checked(betting, 7)


def test_a_mail_for_a_void_turn_is_answered_as_such(given: League) -> None:
    """Whether it was for the turn that is played again or for a later one."""
    old = given.mail("Ann", "all: fold\n", turn=1), given.mail("Bob", "A: fold\n", turn=2)
    back(given, 1)
    filed = all_on_file(given)
    for raw in old:
        given.post.deliver(raw)
    given.poll()
    for player, turn in (("Ann", 1), ("Bob", 2)):
        (answer,) = given.outbox(player, "late")
        assert f"turn {turn} was taken back" in answer.subject
        assert token(given, player) in str(answer.raw)
    assert all_on_file(given) == filed
    given.clock.advance(HOUR)
    given.poll()
    assert len(given.due()) == 1
    # The void turn 2's token is no token of the new one.
    given.post.deliver(given.mail("Bob", "A: fold\n", turn=2))
    given.poll()
    assert "taken back" in given.outbox("Bob", "late")[-1].subject


def test_a_mail_in_flight_is_not_filed(given: League, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is worked out on the turn in play, and before it is written that is taken back."""
    given.order("Ann")

    real = handling.work_out

    def work_out(*arguments: object, **more: object) -> object:
        worked = real(*arguments, **more)  # type: ignore[arg-type]  # as they came
        monkeypatch.undo()
        back(given.reborn(), 1)
        return worked

    monkeypatch.setattr(queue, "work_out", work_out)
    given.poll()
    assert "taken back" in given.outbox("Ann", "late")[0].subject
    assert given.game.turn == 1


def test_another_daemon_that_has_the_turn_finishes_nothing(
    given: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does any report of it go out."""
    given.order_all()
    given.poll()
    given.clock.advance(HOUR)
    told = len(given.outbox())

    real = adjudication._written

    def written(*arguments: object) -> object:
        monkeypatch.undo()
        done = real(*arguments)  # type: ignore[arg-type]  # as they came
        back(given.reborn(), 1)
        return done

    monkeypatch.setattr(adjudication, "_written", written)
    assert adjudicate_due(given.work) == ()
    assert given.game.turn == 1
    new = [one.kind for one in given.outbox()[told:]]
    assert set(new) == {"rollback"}
    checked(given, 1)


def test_what_was_adjudicated_since_the_gm_was_told_stops_it(given: League) -> None:
    """He is to be told of that first."""
    shown = what_was_shown(given.work, SLUG, 1)
    given.play(1)
    with pytest.raises(PostalError, match="since you were told"):
        roll_back(given.work, shown)
    assert given.game.turn == 3


def test_turns_are_taken_back_again_and_again(betting: League) -> None:
    """Each time to another turn; verify and the record go through all of it."""
    for to in (3, 2, 1, 2):
        while betting.game.turn <= to:
            order_all(betting)
            betting.clock.advance(HOUR)
            betting.poll()
            assert len(betting.due()) == 1
        back(betting, to, "Ann")
        assert betting.game.turn == to
    order_all(betting)
    betting.clock.advance(HOUR)
    betting.poll()
    assert len(betting.due()) == 1
    found = verify_game(betting.work, SLUG)
    assert found[1] == ()
    checked(betting, found[0])


def test_a_robot_s_orders_stand_like_anybody_s(quick: League) -> None:
    """It is asked again, changes nothing, and holds nobody up; the log tells it from the GM."""
    seat_robot(quick.work, SLUG, "Ann")
    assert play_robots(quick.work) == 1
    quick.order_all("Ann")
    quick.poll()
    quick.clock.advance(HOUR)
    assert len(quick.due()) == 1
    was = quick.game
    back(quick, 1)
    filed = quick.on_file("Ann")
    assert len(filed) == 3
    play_robots(quick.work)
    assert play_robots(quick.work) == 0
    assert quick.on_file("Ann") == filed
    quick.clock.advance(HOUR)
    quick.poll()
    assert len(quick.due()) == 1
    assert quick.game == was
    checked(quick, 2)
    rows = [one for one in game_log(quick.work, SLUG) if one["what"] == "order filed"]
    assert {one["more"] for one in rows if one["who"] == "Ann"} == {"by the robot"}


def test_wrong_use_gets_a_sentence_and_changes_nothing(given: League) -> None:
    """A turn that isn't over, the deal, nobody, a table where nothing was due."""
    for to in (0, 2, 9, -1):
        with pytest.raises(UsageError, match="that are over are turn 1"):
            what_was_shown(given.work, SLUG, to)
    for opens in ("Zoe", "Ann:Q", "Ann:"):
        with pytest.raises(UsageError, match="--open"):
            back(given, 1, opens)
    assert given.game.turn == 2


def test_once_every_card_was_opened_nothing_is_taken_back(ended: League) -> None:
    """The final report showed them all."""
    with pytest.raises(PostalError, match="opened every card"):
        what_was_shown(ended.work, SLUG, 3)


def test_who_got_a_seat_since_is_waited_for(quick: League) -> None:
    """That its former holder resigned in that turn is not hers (9.4)."""
    resign(quick)
    go_on(quick)
    assert "Ann" in quick.game.dropped
    quick.clock.advance(HOUR)
    replace_player(quick.work, SLUG, "Ann", "Sue", "sue@example.net")
    quick.clock.advance(HOUR)
    back(quick, 1)
    quick.clock.advance(HOUR)
    quick.poll()
    assert len(quick.due()) == 1
    assert quick.game.dropped == ()
    assert quick.game.missed["Ann"] == 0
    checked(quick, 2)


def test_a_new_address_of_that_moment_gets_the_letter(
    quick: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the old one no token that is good."""
    quick.play(1)
    real = rollback._letters

    def letters(*given: object) -> object:
        monkeypatch.undo()
        made = real(*given)  # type: ignore[arg-type]  # as they came
        set_address(quick.reborn().work, "Ann", "ann@new.example")
        return made

    monkeypatch.setattr(rollback, "_letters", letters)
    back(quick, 1)
    (told,) = quick.outbox("Ann", "rollback")
    assert told.recipient == "ann@new.example"


def test_the_turn_waits_for_the_letters_that_say_so(given: League) -> None:
    """As for reports: while our side holds them up nobody is absent (10.5)."""
    back(given, 1, "all")
    with given.database.transaction() as session:
        for letter in given.outbox("Ann", "rollback"):
            row = session.get(OutboxRow, letter.id)
            assert row is not None
            row.hindrance = Hindrance.OURS
    write(given, "Bob", "cancel all")
    turn = given.loaded().turn
    assert turn is not None
    assert turn.deadline is not None
    given.clock.move_to(turn.deadline)
    given.poll()
    assert given.due() == ()
    given.send()
    assert {row.state for row in given.outbox("Ann", "rollback")} == {OutboxState.SENT}
    given.clock.advance(HOUR)
    given.poll()
    assert given.due() == ()
    moved = given.loaded().turn
    assert moved is not None
    assert moved.deadline is not None
    assert moved.deadline > turn.deadline


def test_an_old_report_stands_for_none_of_the_turn_played_again(given: League) -> None:
    """It was sent of the void turn: the one that asks now is still to be handed over."""
    back(given, 1)
    given.clock.advance(HOUR)
    given.poll()
    assert len(given.due()) == 1
    with given.database.transaction() as session:
        (*_, last) = given.outbox("Ann", "report")
        row = session.get(OutboxRow, last.id)
        assert row is not None
        row.hindrance = Hindrance.OURS
    turn = given.loaded().turn
    assert turn is not None
    assert turn.deadline is not None
    given.clock.move_to(turn.deadline)
    given.poll()
    assert given.due() == ()


def test_a_keep_of_an_earlier_time_stands_too(quick: League) -> None:
    """Where the cards are those of the first time, after others in the second (10.7)."""
    for _ in range(2):
        order_all(quick)
        quick.clock.advance(HOUR)
        quick.poll()
        assert len(quick.due()) == 1
    for examples in (1, 0):
        back(quick, 1, "all")
        for player in quick.players:
            lines = []
            for hand, index in quick.game.hands_of(player):
                cards = hand.seats[index].dealt[::-1]
                asked = next(one for one in due(quick, player) if one.hand == hand.name)
                other = f"{hand.table}: give {cards[0]} {cards[1]} next, {cards[2]} previous"
                lines.append(other if examples else asked.examples[0])
            write(quick, player, "\n".join(lines))
        quick.clock.advance(HOUR)
        quick.poll()
        assert len(quick.due()) == 1
        if examples:
            assert all(lines == [] for lines in all_on_file(quick).values())
            order_all(quick)
            quick.clock.advance(HOUR)
            quick.poll()
            assert len(quick.due()) == 1
    assert quick.game.turn == 2
    assert all(len(lines) == 3 for lines in all_on_file(quick).values())


def test_amended_orders_bring_no_dropped_player_back_in_the_record(quick: League) -> None:
    """They are no sign of life of his (9.4): the game and its record stay one."""
    resign(quick)
    go_on(quick)
    assert "Ann" in quick.game.dropped
    keep = view(quick.game, "Ann").due[0].examples[0]
    amend(quick.work, SLUG, "Ann", [keep])
    go_on(quick)
    assert "Ann" in quick.game.dropped
    checked(quick, 2)
    turn = json.loads(export_game(quick.work, SLUG, sealed=True))["turns"][1]
    assert turn["unheard"] == ["Ann"]
    go_on(quick)
    checked(quick, 3)

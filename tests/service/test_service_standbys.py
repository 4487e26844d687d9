"""Standbys: listed by the GM, signed up by mail, asked in that order, seated when they answer."""

from datetime import timedelta

import pytest

from postal.errors import PostalError, UsageError
from postal.service.desk.forget import forget
from postal.service.desk.log import game_log
from postal.service.desk.merging import merge_people
from postal.service.desk.newaddress import set_address
from postal.service.desk.replacing import replace_player
from postal.service.desk.standbys import add_standby, list_standbys, remove_standby
from postal.service.turns.adjudication import recover_claims
from postal.service.turns.standbys import TIME_TO_ANSWER, ask_standbys
from postal.store.turns import claim_turn
from tests.service.people_league import reply_to
from tests.service.people_league import token as token_now
from tests.service.service_league import GM_BOX, HOUR, SLUG, League, Written, text_of
from tests.service.test_service_resigning import resign

GUS, HAL = ("Gus", "gus@example.net"), ("Hal", "hal@example.net")
YES, NO = f"standby {SLUG}\n", f"standby {SLUG} off\n"


def letters(league: League, address: str) -> list[Written]:
    """Return what was written to a standby."""
    return [row for row in league.outbox() if row.recipient == address]


def words(row: Written) -> str:
    """Return the text of a letter on one line."""
    return " ".join(text_of(row.raw).split())


def answer(league: League, who: tuple[str, str], text: str) -> None:
    """Answer the last letter that a standby got."""
    to = reply_to(letters(league, who[1])[-1])
    raw = league.mail(who[0], text, token="", sender=who[1])
    league.post.deliver(raw.replace(f"To: {GM_BOX}".encode(), f"To: {to}".encode()))
    league.poll()


def signed_up(league: League, *people: tuple[str, str]) -> None:
    """List people and let them sign up, one after the other."""
    for who in people:
        add_standby(league.work, SLUG, *who)
    for who in people:
        answer(league, who, YES)
        league.clock.advance(timedelta(minutes=1))


def events(league: League) -> list[str]:
    """Return what the log has on standbys."""
    return [one["more"] for one in game_log(league.work, SLUG) if one["what"] == "standby"]


def test_a_standby_signs_up_and_takes_a_seat(dealt: League) -> None:
    """From the list to the seat: each step has its letter and its event; all are told at last."""
    add_standby(dealt.work, SLUG, *GUS)
    assert "asks whether you would take over a seat" in words(letters(dealt, GUS[1])[-1])
    assert ask_standbys(dealt.work) == 0
    answer(dealt, GUS, YES)
    assert "you are signed up as a standby" in words(letters(dealt, GUS[1])[-1])
    assert ask_standbys(dealt.work) == 0
    resign(dealt)
    assert ask_standbys(dealt.work) == 1
    assert ask_standbys(dealt.work) == 0
    offer = words(letters(dealt, GUS[1])[-1])
    assert "the seat of Ann in this game has fallen free" in offer
    assert not [card for card in ("joker", "JKR", "£") if card in offer]
    assert "Gus is asked to take the seat of Ann." in text_of(dealt.outbox("", "gm")[-1].raw)
    answer(dealt, GUS, YES)
    assert [row.kind for row in letters(dealt, GUS[1])[-2:]] == ["seat", "resend"]
    for player in dealt.players[1:]:
        assert "the seat of Ann goes to Gus" in words(dealt.outbox(player, "seat")[-1])
    assert "Gus, a standby, has taken the seat" in text_of(dealt.outbox("", "gm")[-1].raw)
    assert events(dealt) == [
        "Gus is listed as a standby.",
        "Gus has signed up as a standby.",
        "Gus is asked to take the seat of Ann.",
        "The seat of Ann, held by Ann, goes to Gus.",
    ]
    dealt.write("Gus", "status\n", token=token_now(dealt, "Ann"), sender=GUS[1])
    dealt.poll()
    assert dealt.outbox("Ann", "status")[-1].recipient == GUS[1]
    assert ask_standbys(dealt.work) == 0


def test_they_are_asked_in_the_order_they_signed_up(quick: League) -> None:
    """One at a time for one seat; who does not answer in time is asked no more."""
    add_standby(quick.work, SLUG, *HAL)
    signed_up(quick, GUS)
    answer(quick, HAL, YES)
    resign(quick)
    assert ask_standbys(quick.work) == 1
    assert [row["name"] for row in list_standbys(quick.work, SLUG) if row["asked"]] == ["Gus"]
    quick.clock.advance(TIME_TO_ANSWER)
    assert ask_standbys(quick.work) == 1
    assert [row["name"] for row in list_standbys(quick.work, SLUG) if row["asked"]] == ["Hal"]
    answer(quick, GUS, YES)
    assert quick.loaded().seat("Ann").person.name == "Ann"
    answer(quick, HAL, YES)
    assert quick.loaded().seat("Ann").person.name == "Hal"
    assert [row["name"] for row in list_standbys(quick.work, SLUG)] == ["Gus"]


def test_who_declines_makes_room_for_the_next(quick: League) -> None:
    """At once."""
    signed_up(quick, GUS, HAL)
    resign(quick)
    ask_standbys(quick.work)
    answer(quick, GUS, NO)
    assert ask_standbys(quick.work) == 1
    assert [row["name"] for row in list_standbys(quick.work, SLUG) if row["asked"]] == ["Hal"]
    assert "Gus is no longer signed up as a standby." in events(quick)


def test_a_dropped_player_who_is_heard_of_keeps_his_seat(quick: League) -> None:
    """The answer comes too late, and the standby stays signed up."""
    signed_up(quick, GUS)
    resign(quick)
    ask_standbys(quick.work)
    quick.say("Ann", "status\n")
    answer(quick, GUS, YES)
    assert quick.loaded().seat("Ann").person.name == "Ann"
    (row,) = list_standbys(quick.work, SLUG)
    assert row["signed_up"]
    assert not row["asked"]


def test_a_seat_is_free_once_its_holder_is_dropped(quick: League) -> None:
    """After two silent turns (9.4); the standby is waited for in the next."""
    signed_up(quick, GUS)
    for _ in range(2):
        quick.order_all("Ann")
        quick.poll()
        turn = quick.loaded().turn
        assert turn is not None
        assert turn.deadline is not None
        quick.clock.move_to(turn.deadline)
        quick.poll()
        assert len(quick.due()) == 1
    assert "Ann" in quick.game.dropped
    assert ask_standbys(quick.work) == 1
    answer(quick, GUS, YES)
    quick.order_all("Ann")
    quick.poll()
    quick.clock.advance(3 * 24 * HOUR)
    assert quick.due() == ()
    line = "all: fold\n"
    quick.write("Gus", line, token=token_now(quick, "Ann"), sender=GUS[1])
    quick.poll()
    quick.clock.advance(HOUR)
    assert len(quick.due()) == 1
    assert "Ann" not in quick.game.dropped


def test_from_proves_nothing(dealt: League) -> None:
    """Without the token of a letter of ours nothing is done, and the address gets one with it."""
    add_standby(dealt.work, SLUG, *GUS)
    before = len(letters(dealt, GUS[1]))
    for _ in range(2):
        dealt.write("Gus", YES, token="", sender=GUS[1])
    dealt.write("Zoe", YES, token="", sender="zoe@example.net")
    dealt.poll()
    assert not list_standbys(dealt.work, SLUG)[0]["signed_up"]
    (hint,) = letters(dealt, GUS[1])[before:]
    assert "This is how you sign up" in words(hint)
    assert not letters(dealt, "zoe@example.net")
    answer(dealt, GUS, YES)
    assert list_standbys(dealt.work, SLUG)[0]["signed_up"]
    answer(dealt, GUS, "standby elsewhere\n")
    assert not events(dealt)[2:]


def test_a_player_of_another_game_signs_up_from_there(apart: League) -> None:
    """By his seat's token; for a game that he isn't listed for he is told so."""
    add_standby(apart.work, SLUG, "Gus", "gus@example.org")
    apart.write("Gus", YES, slug="smith-2")
    apart.write("Hal", YES, slug="smith-2")
    apart.poll()
    assert list_standbys(apart.work, SLUG)[0]["signed_up"]
    assert [row.kind for row in apart.outbox("Hal", slug="smith-2")][-1] == "standby-answer"


def test_who_cannot_be_a_standby(quick: League) -> None:
    """Nobody who holds or has held a seat there, and nobody twice."""
    replace_player(quick.work, SLUG, "Ann", *HAL)
    for who in (("Ann", "ann@example.org"), HAL, ("Robert", "bob@example.org")):
        with pytest.raises(PostalError, match="holds or has held a seat"):
            add_standby(quick.work, SLUG, *who)
    with pytest.raises(PostalError, match="has a player called Bob"):
        add_standby(quick.work, SLUG, "Bob", "bob@example.net")
    add_standby(quick.work, SLUG, *GUS)
    with pytest.raises(PostalError, match="is a standby of smith-1 already"):
        add_standby(quick.work, SLUG, *GUS)
    for name, address in (("fold", GUS[1]), ("Gus", "nowhere")):
        with pytest.raises(UsageError):
            add_standby(quick.work, SLUG, name, address)


def test_one_is_taken_off_the_list(quick: League) -> None:
    """He is told, and his answers do nothing any more."""
    signed_up(quick, GUS)
    resign(quick)
    ask_standbys(quick.work)
    remove_standby(quick.work, SLUG, GUS[1])
    with pytest.raises(PostalError, match="There is no standby 'Gus'"):
        remove_standby(quick.work, SLUG, "Gus")
    answer(quick, GUS, YES)
    assert quick.loaded().seat("Ann").person.name == "Ann"
    assert ask_standbys(quick.work) == 0
    assert "Gus is taken off the list of standbys." in events(quick)


def test_an_address_that_is_replaced_is_believed_no_more(quick: League) -> None:
    """Its token is void; the new address gets its own with the next letter."""
    signed_up(quick, GUS)
    resign(quick)
    ask_standbys(quick.work)
    set_address(quick.work, "Gus", "gus@new.example")
    answer(quick, GUS, YES)
    assert quick.loaded().seat("Ann").person.name == "Ann"
    quick.write("Gus", YES, token="", sender="gus@new.example")
    quick.poll()
    answer(quick, ("Gus", "gus@new.example"), YES)
    assert quick.loaded().seat("Ann").person.name == "Gus"


def test_listings_go_with_a_person(two: League) -> None:
    """Two that are merged have one; one who is forgotten has none."""
    two.begin("third", bytes(32), ("Gus", "Hal", "Ida", "Jim", "Kim", "Lea"))
    add_standby(two.work, SLUG, "Gustav", "gustav@example.net")
    merge_people(two.work, "Gus", "Gustav")
    assert [row["name"] for row in list_standbys(two.work, SLUG)] == ["Gus"]
    add_standby(two.work, SLUG, *HAL)
    forget(two.work, HAL[1], "Player One")
    assert [row["name"] for row in list_standbys(two.work, SLUG)] == ["Gus"]


def test_who_came_to_a_seat_otherwise_is_asked_for_no_second(quick: League) -> None:
    """The next who signed up is (9.8)."""
    signed_up(quick, GUS, HAL)
    replace_player(quick.work, SLUG, "Bob", *GUS)
    resign(quick)
    assert ask_standbys(quick.work) == 1
    assert [row["name"] for row in list_standbys(quick.work, SLUG) if row["asked"]] == ["Hal"]


def test_a_seat_is_taken_once_a_turn_that_is_worked_on_is_over(quick: League) -> None:
    """The answer waits for that, however long a killed daemon's claim lasts, and isn't lost."""
    signed_up(quick, GUS)
    resign(quick)
    ask_standbys(quick.work)
    turn = quick.loaded().turn
    assert turn is not None
    with quick.database.transaction() as session:
        assert claim_turn(session, turn, token="x", until=quick.clock.now() + HOUR)
    answer(quick, GUS, YES)
    assert quick.loaded().seat("Ann").person.name == "Ann"
    recover_claims(quick.work)
    assert len(quick.due()) == 1
    quick.clock.advance(timedelta(minutes=1))
    quick.poll()
    assert quick.loaded().seat("Ann").person.name == "Gus"

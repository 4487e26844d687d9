"""One person in several games is one person: found, listed, shown, and answered."""

import pytest

from postal.cli.tables import print_game
from postal.errors import PostalError
from postal.mail.smtp import SendResult
from postal.service.desk.newaddress import set_address
from postal.service.desk.overview import show_game
from postal.service.desk.people import list_people, show_person
from postal.service.desk.players import add_address, revoke_tokens
from postal.service.outbound.delivery import requeue
from postal.store.rows import (
    MailStatus,
    OutboxState,
    PersonRow,
)
from tests.service.people_league import (
    LONELY,
    NEW,
    OTHER,
    WORK,
    confirm_work,
    filed,
    held_by,
    line,
    numbers,
    reply_to,
    token,
)
from tests.service.service_league import (
    GM_BOX,
    HOUR,
    SLUG,
    START,
    League,
)


def test_who_plays_in_two_games_is_one_person(two: League) -> None:
    """By name and address; a game's letters go on as if there were no other."""
    rows = list_people(two.work)
    assert [row["name"] for row in rows] == list(two.players)
    assert all(row["games"] == [SLUG, OTHER] for row in rows)
    for slug in (SLUG, OTHER):
        two.write("Ann", line(two, "Ann", slug), slug=slug)
    two.poll()
    assert filed(two, "Ann", SLUG) == filed(two, "Ann", OTHER) == ["ann@example.org"]


def test_a_mail_without_a_token_brings_one_hint_in_one_game(two: League) -> None:
    """However many games there are; the hint's answer is taken there."""
    two.write("Ann", line(two, "Ann"), token="")
    two.write("Ann", line(two, "Ann"), token="")
    two.poll()
    (hint,) = two.outbox("Ann", "hint")
    assert hint.recipient == "ann@example.org"
    assert reply_to(hint) == GM_BOX.replace("@", f"+{two.token('Ann', slug=OTHER)}@")


def test_the_hint_is_of_a_game_that_is_in_play(two: League) -> None:
    """One that is over takes no orders any more."""
    with two.database.transaction() as session:
        game = two.loaded(OTHER).row
        game.status = type(game.status).FINISHED
        session.add(game)
    two.write("Ann", "hello\n", token="")
    two.poll()
    (hint,) = two.outbox("Ann", "hint")
    assert reply_to(hint) == GM_BOX.replace("@", f"+{two.token('Ann')}@")


def test_a_second_address_counts_in_all_games(two: League) -> None:
    """It was asked for in one."""
    confirm_work(two)
    for slug in (SLUG, OTHER):
        two.write("Ann", line(two, "Ann", slug), sender=WORK, slug=slug)
    two.poll()
    assert filed(two, "Ann", SLUG) == filed(two, "Ann", OTHER) == [WORK]
    two.write("Bob", line(two, "Bob", OTHER), sender=WORK, slug=OTHER)
    two.poll()
    assert len(two.outbox("Bob", "held", slug=OTHER)) == 1


@pytest.mark.parametrize("named", ["Ann", "aNN", "1", "#1", "ANN@example.org"])
def test_a_person_is_named_by_name_number_or_address(quick: League, named: str) -> None:
    """Without regard to case."""
    assert show_person(quick.work, named)["name"] == "Ann"


@pytest.mark.parametrize("named", ["Zoe", "99", "#99", "#Ann", "9" * 40, "#", "", "x@example.org"])
def test_who_is_not_there_is_not_found(quick: League, named: str) -> None:
    """In a sentence that says where to look."""
    with pytest.raises(PostalError, match=r"nobody called .*postal player list"):
        show_person(quick.work, named)


def test_of_several_of_one_name_or_address_one_is_named_by_number(quick: League) -> None:
    """A name may occur twice in a league, and an address belong to two persons."""
    quick.begin(OTHER, bytes(32), ("Ann", *LONELY[1:]))
    assert len(numbers(quick, "Ann")) == 1
    with quick.database.transaction() as session:
        person = session.get(PersonRow, 2)
        assert person is not None
        person.name = "Ann"
        session.add(person)
    with pytest.raises(PostalError, match=r"Several .* 1 \(ann@example.org\), 2 \(bob@example"):
        show_person(quick.work, "Ann")
    assert show_person(quick.work, "#2")["addresses"][0]["address"] == "bob@example.org"
    set_address(quick.work, "Gus", "bob@example.org")
    with pytest.raises(PostalError, match=r"Several people are called 'bob@example\.org'"):
        set_address(quick.work, "bob@example.org", NEW)


def test_a_number_that_is_a_name_too_is_asked_about(quick: League) -> None:
    """With its sign it is a number alone."""
    with quick.database.transaction() as session:
        person = session.get(PersonRow, 3)
        assert person is not None
        person.name = "1"
    with pytest.raises(PostalError, match="Several people are called '1'"):
        show_person(quick.work, "1")
    assert show_person(quick.work, "#1")["name"] == "Ann"


def test_the_list_tells_when_each_was_last_heard_from(two: League) -> None:
    """A mail with a token of theirs; one that is held, or carries none, is not theirs for sure."""
    two.write("Ann", "status\n", slug=OTHER)
    two.poll()
    two.clock.advance(HOUR)
    two.write("Bob", "status\n", sender="ann@example.org")
    two.write("Cat", "status\n", token="")
    two.poll()
    heard = {row["name"]: row["last_heard"] for row in list_people(two.work)}
    mail = two.mails()[-3]
    assert mail.status is MailStatus.DONE
    assert heard == dict.fromkeys(two.players) | {"Ann": mail.internal_date.isoformat()}
    assert show_person(two.work, "Ann")["last_heard"] == mail.internal_date.isoformat()
    assert heard["Ann"].endswith("+00:00")


def test_what_did_not_arrive_is_shown(two: League) -> None:
    """A mail that came back, or that the server refused, until it is sent again."""
    two.post.results.append(SendResult("failed", 550, "no such user"))
    two.write("Ann", "status\n", slug=OTHER)
    two.poll()
    two.send()
    (row,) = [row for row in two.outbox("Ann") if row.state is OutboxState.FAILED]
    facts = show_person(two.work, "Ann")
    assert facts["undelivered"] == [
        {
            "mail": row.id,
            "to": "ann@example.org",
            "subject": row.subject,
            "why": "550 no such user",
        }
    ]
    counts = {one["name"]: one["undelivered"] for one in list_people(two.work)}
    assert counts == dict.fromkeys(two.players, 0) | {"Ann": 1}
    requeue(two.work)
    two.send()
    assert show_person(two.work, "Ann")["undelivered"] == []


def test_what_was_of_a_seat_before_and_after_is_not_of_its_holder(two: League) -> None:
    """Sue has held Joe's seat from some day on: what he wrote and missed is not hers."""
    two.write("Ann", "status\n")
    two.poll()
    two.post.results.append(SendResult("failed", 550, "no such user"))
    two.send()
    two.clock.advance(HOUR)
    held_by(two, "Ann", "Sue", "sue@example.org")
    ann, sue = show_person(two.work, "Ann"), show_person(two.work, "Sue")
    assert (len(ann["undelivered"]), len(sue["undelivered"])) == (1, 0)
    assert ann["last_heard"] is not None
    assert sue["last_heard"] is None
    assert [one["seat"] for one in sue["seats"]] == ["Ann"]
    assert [one["game"] for one in ann["seats"]] == [OTHER]


def test_a_person_shows_all_addresses_and_seats(two: League) -> None:
    """Confirmed or not, in play or over."""
    confirm_work(two)
    add_address(two.work, "Ann", NEW, OTHER)
    facts = show_person(two.work, "Ann")
    shown = [(one["address"], one["reports"], one["confirmed"]) for one in facts["addresses"]]
    assert shown == [
        ("ann@example.org", True, START.isoformat()),
        (WORK, False, two.clock.now().isoformat()),
        (NEW, False, None),
    ]
    assert facts["seats"] == [
        {"game": slug, "seat": "Ann", "status": "running"} for slug in (SLUG, OTHER)
    ]
    assert (facts["zone"], facts["language"], facts["text_only"]) == (None, None, False)


def test_no_token_is_shown(two: League) -> None:
    """Of any person."""
    revoke_tokens(two.work, "Ann", SLUG)
    set_address(two.work, "Bob", NEW)
    seen = repr(list_people(two.work))
    seen += "".join(repr(show_person(two.work, name)) for name in two.players)
    each = [(name, slug) for name in two.players for slug in (SLUG, OTHER)]
    given = [two.token(name, slug=slug) for name, slug in each]
    given += [token(two, name, slug) for name, slug in each]
    assert not [one for one in given if one in seen]


def test_the_game_is_shown_with_who_holds_each_seat_now(
    dealt: League, capsys: pytest.CaptureFixture[str]
) -> None:
    """As his mails name him, and whether he was dropped."""
    for _ in range(2):
        dealt.order_all("Ann")
        dealt.poll()
        dealt.clock.advance(8 * 24 * HOUR)
        dealt.poll()
        dealt.due()
    held_by(dealt, "Ann", "Sue", "sue@example.org")
    facts = show_game(dealt.work, SLUG)
    shown = {one["name"]: (one["holder"], one["dropped"]) for one in facts["players"]}
    assert shown == {name: (name, False) for name in dealt.players} | {"Ann": ("Sue", True)}
    print_game(facts)
    rows = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert [row for row in rows if "sue@" in row] == [
        "Sue, for Ann sue@example.org £940,000 dropped"
    ]
    assert [row for row in rows if "bob@" in row] == ["Bob bob@example.org £940,000"]

"""Two entries of the league that are one person are made one, and both are told."""

import pytest
from sqlmodel import select

from postal.errors import PostalError, UsageError
from postal.service.desk.merging import merge_people
from postal.service.desk.newaddress import set_address
from postal.service.desk.people import list_people, show_person
from postal.service.desk.players import add_address
from postal.service.turns.adjudication import adjudicate_due
from postal.store.rows import (
    PersonRow,
)
from tests.service.people_league import (
    LONELY,
    OTHER,
    WORK,
    filed,
    finish,
    held_by,
    line,
    numbers,
    reply_to,
)
from tests.service.service_league import (
    GM_BOX,
    HOUR,
    SLUG,
    START,
    League,
    parsed,
    text_of,
)


def test_two_become_one_and_both_are_told(apart: League) -> None:
    """At the addresses that they had; both count in all games, and reports go to the first."""
    done = merge_people(apart.work, "Ann", "Annie")
    assert (done.name, done.games) == ("Ann", (SLUG, OTHER))
    assert done.told == ("Ann", "Annie")
    told = apart.outbox(None, "address")
    assert [row.recipient for row in told] == ["ann@example.org", "annie@example.org"]
    assert numbers(apart, "Annie") == []
    facts = show_person(apart.work, "Ann")
    assert [(one["address"], one["reports"]) for one in facts["addresses"]] == [
        ("ann@example.org", True),
        ("annie@example.org", False),
    ]
    assert [one["seat"] for one in facts["seats"]] == ["Ann", "Annie"]
    for sender in ("ann@example.org", "annie@example.org"):
        apart.write("Ann", line(apart, "Ann"), sender=sender)
        apart.write("Annie", line(apart, "Annie", OTHER), sender=sender, slug=OTHER)
    apart.poll()
    assert filed(apart, "Ann", SLUG) == ["ann@example.org", "annie@example.org"]
    assert filed(apart, "Annie", OTHER) == ["ann@example.org", "annie@example.org"]
    apart.clock.move_to(START + 8 * 24 * HOUR)
    apart.poll()
    adjudicate_due(apart.work)
    reports = [*apart.outbox("Ann", "report"), *apart.outbox("Annie", "report")]
    assert [row.recipient for row in reports] == ["ann@example.org"] * 2


def test_each_is_told_of_the_other_and_where_reports_go(dealt: League) -> None:
    """Without the other's address: it might be somebody else after all."""
    dealt.begin(OTHER, bytes(32), LONELY)
    merge_people(dealt.work, "Ann", "Annie")
    first, second = [" ".join(text_of(row.raw).split()) for row in dealt.outbox(None, "address")]
    assert "Dear Ann, the GM has noted that Annie (who plays in smith-2) and you are" in first
    assert "will come to this address" in first
    assert "Dear Annie, the GM has noted that Ann (who plays in smith-1) and you are" in second
    assert "to your other address, not to this one" in second
    assert "annie@" not in first
    assert "ann@" not in second


def test_the_mails_show_who_holds_the_seat(apart: League) -> None:
    """Under the name that stays."""
    merge_people(apart.work, "Ann", "Annie")
    assert apart.loaded(OTHER).holders == {"Annie": "Ann"}
    assert apart.loaded(SLUG).holders == {}
    apart.write("Annie", "status\n", slug=OTHER)
    apart.poll()
    (status,) = apart.outbox("Annie", "status")
    assert str(parsed(status.raw)["To"]).startswith('"Ann, for Annie" <')


@pytest.mark.parametrize("name", ["aNNIE", "raise 5", "A: fold"])
def test_a_name_that_differs_by_case_or_looks_like_an_order_is_not_shown(
    apart: League, name: str
) -> None:
    """The seat's own is."""
    with apart.database.transaction() as session:
        person = session.exec(select(PersonRow).where(PersonRow.name == "Annie")).one()
        person.name = name
    assert apart.loaded(OTHER).holders == {}


def test_two_who_sit_in_one_game_are_two(two: League) -> None:
    """Over or not."""
    with pytest.raises(PostalError, match="Ann and Bob both play in smith-1, smith-2"):
        merge_people(two.work, "Ann", "Bob")
    with pytest.raises(UsageError, match="is one person already"):
        merge_people(two.work, "Ann", "#1")
    assert len(list_people(two.work)) == len(two.players)


def test_nobody_gets_an_address_by_merging_that_is_another_players(apart: League) -> None:
    """Two of one game may not share one; the GM is told what to do first."""
    set_address(apart.work, "Annie", "bob@example.org")
    annie = show_person(apart.work, "Annie")["id"]
    for pair in (("Ann", "Annie"), ("Annie", "Ann")):
        with pytest.raises(PostalError, match=rf"both Ann's and Bob's .* set-address {annie} "):
            merge_people(apart.work, *pair)
    assert len(show_person(apart.work, "Ann")["seats"]) == 1


def test_an_address_that_both_have_is_kept_once(apart: League) -> None:
    """Confirmed if it was of either; both letters go there."""
    set_address(apart.work, "Annie", "ann@example.org")
    merge_people(apart.work, "Ann", "Annie")
    told = apart.outbox(None, "address")
    assert [row.recipient for row in told] == ["ann@example.org"] * 2
    assert len(show_person(apart.work, "Ann")["addresses"]) == 1


@pytest.mark.parametrize("kept", ["Ann", "Annie"])
def test_an_address_that_one_had_confirmed_counts(apart: League, kept: str) -> None:
    """Though the other had only asked for it, and that mail confirms nothing any more."""
    add_address(apart.work, "Ann", "annie@example.org")
    (mail,) = [row for row in apart.outbox("Ann", "address") if "annie" in row.recipient]
    merge_people(apart.work, kept, "Annie" if kept == "Ann" else "Ann")
    facts = show_person(apart.work, kept)
    assert {one["address"]: one["confirmed"] is not None for one in facts["addresses"]} == {
        "ann@example.org": True,
        "annie@example.org": True,
    }
    before = len(apart.outbox(None, "address"))
    raw = apart.mail("Ann", "Yes.\n", token="", sender="annie@example.org")
    apart.post.deliver(raw.replace(f"To: {GM_BOX}".encode(), f"To: {reply_to(mail)}".encode()))
    apart.poll()
    assert len(apart.outbox(None, "address")) == before


def test_an_address_asked_for_goes_on_being_asked_for(apart: League) -> None:
    """Its answer confirms it for the person that is left."""
    add_address(apart.work, "Annie", WORK)
    (mail,) = [row for row in apart.outbox("Annie", "address") if row.recipient == WORK]
    merge_people(apart.work, "Ann", "Annie")
    raw = apart.mail("Ann", "Yes.\n", token="", sender=WORK)
    apart.post.deliver(raw.replace(f"To: {GM_BOX}".encode(), f"To: {reply_to(mail)}".encode()))
    apart.poll()
    apart.write("Ann", line(apart, "Ann"), sender=WORK)
    apart.poll()
    assert filed(apart, "Ann", SLUG) == [WORK]


def test_people_whose_games_are_over_are_merged_and_told(quick: League) -> None:
    """And one who holds no seat at all, whom there is no game to write to of."""
    finish(quick)
    quick.begin(OTHER, bytes(32), LONELY)
    done = merge_people(quick.work, "Annie", "Ann")
    assert (done.games, done.told) == ((OTHER,), ("Annie", "Ann"))
    held_by(quick, "Bob", "Sue", "sue@example.org")
    assert show_person(quick.work, "Bob")["seats"] == []
    done = merge_people(quick.work, "Gus", "Bob")
    assert done.told == ("Gus",)
    assert numbers(quick, "Bob") == []

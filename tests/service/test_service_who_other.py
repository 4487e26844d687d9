"""A token used from another player's address is not believed: held, asked back, told to the GM."""

import pytest

from postal.mail.imap import PROCESSED
from postal.service.desk.mails_again import release
from postal.service.desk.players import add_address
from postal.store.rows import MailStatus
from tests.service.service_league import HOUR, League, parsed, text_of
from tests.service.test_service_players import WORK, answer, asked
from tests.service.test_service_who_doubts import example

BOB = "bob@example.org"


@pytest.mark.parametrize("sender", [BOB, "BOB@Example.ORG", "bob+league@example.org"])
def test_a_token_from_another_players_address_orders_nothing(dealt: League, sender: str) -> None:
    """The registered player is asked, the GM told whose address it was; neither learns a token."""
    notices = len(dealt.outbox("", "gm"))
    dealt.write("Ann", example(dealt), sender=sender)
    dealt.poll()
    assert dealt.on_file("Ann") == []
    assert dealt.mails()[0].status is MailStatus.QUARANTINED
    (held,) = dealt.outbox("Ann", "held")
    assert held.recipient == "ann@example.org"
    said = " ".join(text_of(held.raw).split())
    assert "it was sent from the address of another player of the game" in said
    assert "Bob" not in said
    assert "bob@" not in said
    assert dealt.outbox("Bob", "held", "receipt", "hint") == []
    (notice,) = dealt.outbox("", "gm")[notices:]
    told = text_of(notice.raw)
    assert "it is from Bob's address" in " ".join(told.split())
    assert "`postal inbox release 1`" in told
    assert dealt.token("Ann").encode() not in (notice.raw or b"")
    assert example(dealt) not in told


def test_a_confirmed_second_address_of_another_player_is_his_too(dealt: League) -> None:
    """But not one that was only asked for: it is nobody's yet."""
    add_address(dealt.work, "Bob", WORK)
    dealt.write("Ann", example(dealt), sender=WORK)
    dealt.poll()
    assert dealt.on_file("Ann") == [example(dealt)]
    answer(dealt, asked(dealt, "Bob"), sender=WORK)
    assert dealt.outbox("", "gm")[-1].kind == "gm"
    dealt.write("Ann", "cancel all", sender=WORK)
    dealt.poll()
    assert dealt.on_file("Ann") == [example(dealt)]
    assert len(dealt.outbox("Ann", "held")) == 1


def test_ones_own_addresses_and_a_strangers_are_as_ever(dealt: League) -> None:
    """From proves nothing: only where it speaks against the token is it heard."""
    for sender in ("ann@example.org", "ann+x@example.org", "home@example.net"):
        dealt.write("Ann", example(dealt), sender=sender)
        dealt.poll()
        assert dealt.mails()[-1].status is MailStatus.DONE
    assert not dealt.outbox("Ann", "held")


def test_such_a_mail_holds_the_turn_until_the_player_speaks(dealt: League) -> None:
    """It may be his, from a shared machine (10.6)."""
    dealt.order_all()
    dealt.write("Ann", "cancel all", sender=BOB)
    dealt.poll()
    dealt.clock.advance(HOUR)
    assert dealt.due() == ()
    dealt.write("Ann", "ready")
    dealt.poll()
    assert [done.turn for done in dealt.due()] == [1]


def test_the_gm_can_take_it_all_the_same(dealt: League) -> None:
    """A couple at one machine: the answer goes to the registered address."""
    dealt.write("Ann", example(dealt), sender=BOB)
    dealt.poll()
    assert "1 order on file" in release(dealt.work, 1)
    assert dealt.on_file("Ann") == [example(dealt)]
    (receipt,) = dealt.outbox("Ann", "receipt")
    assert str(parsed(receipt.raw)["To"]) == "Ann <ann@example.org>"
    dealt.poll()
    assert len(dealt.post.folders[PROCESSED]) == 1

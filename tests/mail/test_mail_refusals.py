"""Whom a refusal concerns: as servers word it that many leagues send through."""

import pytest

from postal.mail.refusals import Stage, whose

ANN = "ann@example.org"

OURS: list[tuple[Stage, str]] = [
    ("sender", "553 5.7.1 <gm@example.org>: Sender address rejected: not owned by user gm"),
    ("sender", "550 anything at all"),
    ("recipient", "550 5.4.5 Daily user sending limit exceeded. For more information visit us"),
    ("recipient", "550 5.7.60 SMTP; Client does not have permissions to send as this sender"),
    ("recipient", "550 5.1.90 Your message can't be sent, you reached your daily limit"),
    ("recipient", "530 5.7.57 Client not authenticated to send mail"),
    ("recipient", "530 5.7.0 Authentication Required"),
    ("recipient", "550 5.7.1 Authentication required"),
    ("recipient", "553 sorry, that address is not owned by you"),
    ("recipient", "554 5.7.1 <ann@example.org>: Relay access denied"),
    ("recipient", "550 5.7.1 Unable to relay"),
    ("recipient", "550 5.1.0 <gm@example.org> sender rejected"),
    ("recipient", "553 5.7.1 Sender denied"),
    ("recipient", "450 4.7.1 Your outgoing rate is over the limit"),
    ("recipient", "452 4.3.1 Insufficient system storage"),
    ("content", "554 5.2.252 SendAsDenied; gm not allowed to send as grace"),
    ("content", "550 5.7.501 Access denied, spam abuse detected"),
    ("content", "550 5.7.1 Your account has been suspended"),
    ("content", "421 4.7.0 Try again later"),
    ("content", "535 5.7.139 Authentication unsuccessful, the user credentials were incorrect"),
]

HIS: list[tuple[Stage, str]] = [
    ("recipient", "550 5.1.1 <ann@example.org>: Recipient address rejected: User unknown"),
    ("recipient", "550 5.1.10 RESOLVER.ADR.RecipientNotFound"),
    ("recipient", "556 5.1.10 example.org has a null MX"),
    ("recipient", "550 5.2.1 The email account that you tried to reach is disabled"),
    ("recipient", "552 5.2.2 Over quota"),
    ("recipient", "452 4.2.2 Mailbox full"),
    ("recipient", "450 4.1.1 <ann@example.org>: unverified address"),
    ("recipient", "450 4.2.0 Greylisted, come back in 5 minutes"),
    ("recipient", "451 4.7.1 Greylisting in action"),
    ("recipient", "550 No such user here"),
    ("recipient", "550 <ann@example.org>... User unknown"),
    ("recipient", "550 mailbox does not exist"),
    ("content", "550 5.1.2 Host unknown"),
]

OPEN: list[tuple[Stage, str]] = [
    ("recipient", "550 Requested action not taken"),
    ("recipient", "550 5.7.1 <ann@example.org>: Recipient address rejected: Access denied"),
    ("recipient", "450 later"),
    ("content", "552 5.3.4 Message too big"),
    ("content", "554 5.7.1 Message contains spam or virus"),
    ("content", "554 Transaction failed"),
    ("content", "451 4.3.0 Temporary failure"),
]


def judged(stage: Stage, reply: str) -> str:
    """Return whom a reply concerns."""
    code, _, words = reply.partition(" ")
    return whose(int(code), words, stage, ANN)


@pytest.mark.parametrize(("stage", "reply"), OURS)
def test_what_is_about_the_sender_or_the_account_is_ours(stage: Stage, reply: str) -> None:
    """No mail fails by it."""
    assert judged(stage, reply) == "ours"


@pytest.mark.parametrize(("stage", "reply"), HIS)
def test_what_names_a_mailbox_that_takes_nothing_is_his(stage: Stage, reply: str) -> None:
    """And holds up nobody else's mail."""
    assert judged(stage, reply) == "his"


@pytest.mark.parametrize(("stage", "reply"), OPEN)
def test_the_rest_is_open(stage: Stage, reply: str) -> None:
    """Until it shows whether others' mail is taken."""
    assert judged(stage, reply) == "open"


def test_an_address_that_reads_like_a_reason_is_none() -> None:
    """What a server repeats of it is left out."""
    words = "5.7.1 <daily.limit@example.org>: no"
    assert whose(550, words, "recipient", "daily.limit@example.org") == "open"

"""A sweep of disguised headers over every mail that is answered: nothing of theirs comes back."""

from collections.abc import Iterator
from datetime import timedelta
from email import message_from_bytes
from itertools import cycle, islice

import pytest

from postal.errors import UsageError
from postal.service.desk.newgame import check_players
from postal.service.desk.players import add_address
from tests.mail.disguises import disguised_ids, disguised_words, without_line_ends
from tests.service.service_league import GM_BOX, SIX, League

FIELDS = {
    "from", "to", "reply-to", "subject", "date", "message-id", "in-reply-to", "references",
    "list-id", "auto-submitted", "x-auto-response-suppress", "x-postal-loop", "mime-version",
    "content-type", "content-transfer-encoding",
}  # fmt: skip
A_DAY = 90  # mails of one player, since nobody gets more than a hundred answers a day


def disguised_heads() -> Iterator[str]:
    """Yield header fields that a stranger can write, a disguise in each of them by turns."""
    ids, words = disguised_ids(), disguised_words()
    for place, identifier, word in zip(cycle(range(6)), ids, words, strict=False):
        hidden, shown = without_line_ends(identifier), without_line_ends(word)
        yield (
            f"Message-ID: {hidden}\nSubject: Re: x\n",
            f"Message-ID: <a@b>\nReferences: <c@d> {hidden}\nSubject: Re: x\n",
            f"Message-ID: <a@b>\nIn-Reply-To: {hidden}\nSubject: Re: x\n",
            f"Message-ID: <a@b>\nSubject: {shown}\nThread-Topic: {shown}\n",
            f"Message-ID: <a@b>\nSubject: x\nList-Id: {shown}\nReply-To: {shown} <e@evil.test>\n",
            f"Message-ID: {hidden}\nReferences: {hidden}\nIn-Reply-To: {hidden}\nSubject: x\n",
        )[place]


def letter(league: League, player: str, head: str, *, token: str, sender: str = "") -> bytes:
    """Return a mail with a head of the stranger's making."""
    to = GM_BOX.replace("@", f"+{token}@") if token else GM_BOX
    sender = sender or f"{player.lower()}@example.org"
    raw = f"From: {player} <{sender}>\nTo: {to}\n{head}\nhelp\nA: fold\n"
    del league
    return raw.replace("\n", "\r\n").encode("utf-8", "surrogateescape")


@pytest.mark.slow
def test_no_disguised_header_comes_back_in_any_answer(quick: League) -> None:
    """Receipts, late words, hints, held mails and help alike: over 1,000 of them."""
    heads = list(disguised_heads())
    swept = len(heads)
    assert swept > 1_000
    quick.play(1)
    old = {player: quick.token(player, 1) for player in SIX}
    answered, left = 0, iter(heads)
    for _ in range(9):
        for number, player in enumerate(SIX):
            for place, head in enumerate(islice(left, A_DAY)):
                bare = place % 7 == 0
                sender = f"{SIX[number - 1].lower()}@example.org" if place % 11 == 0 else ""
                token = old[player] if place % 13 == 0 else quick.token(player)
                named = "" if bare else token
                quick.post.deliver(letter(quick, player, head, token=named, sender=sender))
        quick.poll()
        quick.clock.advance(timedelta(hours=12))
    assert next(left, None) is None
    kinds = set()
    for row in quick.outbox():
        raw = row.raw or b""
        kinds.add(row.kind)
        found = message_from_bytes(raw)
        assert {name.casefold() for name in found} <= FIELDS
        assert len(found.keys()) == len({name.casefold() for name in found.keys()})  # noqa: SIM118 - each field there is
        assert b"evil" not in raw.lower()
        assert (found["Bcc"], found["Cc"]) == (None, None)
        answered += row.kind != "welcome"
    assert {"receipt", "help", "late", "hint", "held"} <= kinds
    assert answered > 500


@pytest.mark.parametrize("name", list(islice(disguised_words(), 0, None, 40)))
def test_no_disguised_name_gets_into_a_game(quick: League, name: str) -> None:
    """Neither a player's nor a game's nor an address."""
    with pytest.raises(UsageError):
        check_players([(name, "a@example.org")], GM_BOX)
    with pytest.raises(UsageError):
        check_players([("Ann", f"{name}@example.org")], GM_BOX)
    with pytest.raises(UsageError):
        quick.begin(slug=name)
    with pytest.raises(UsageError):
        add_address(quick.work, "Ann", f"{name}@example.org")

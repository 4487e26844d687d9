"""Holds a mail with a good token whose sender is doubtful, for the GM to judge."""

from __future__ import annotations

from dataclasses import dataclass

from postal.mail.authentication import doubt
from postal.mail.gate import base_address
from postal.service.inbound.case import SeatCase
from postal.service.inbound.outcome import Outcome
from postal.service.outbound.kinds import LetterKind
from postal.service.outbound.letters import Letter
from postal.store.outbox import count_messages
from postal.store.rows import MailStatus


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a mail's sender is doubtful: for the list of mails, and as the GM is told.

    ``of_player``: it is from the address of another player of the game.
    """

    why: str
    said: str
    of_player: bool


def doubtful(case: SeatCase) -> Outcome | None:
    """Set a doubtful mail aside, telling the registered player and the GM.

    Doubtful is a mail that the receiving server doubts, and one from the address of another
    player of the game: a token may have got about, and an address may be forged. If it is his
    after all, the GM has until the deadline to say so (RULES.md 10.6).
    """
    found = doubt_of(case)
    if found is None:
        return None
    _tell(case, found)
    reason = f"held, its sender is doubtful: {found.why}"
    return Outcome(MailStatus.QUARANTINED, reason, case.whose, turn=case.troubled(his=False))


def doubt_of(case: SeatCase) -> Doubt | None:
    """Return why a mail may not be from the player whose token it has, None where nothing says so.

    The GM's word that it is his settles it.
    """
    if case.vouched:
        return None
    why = doubt(case.incoming, case.work.identity.authserv_id)
    other = _other_player(case)
    if why is None and other is None:
        return None
    return Doubt(
        why or "it is from another player's address",
        f"your mail server says {why}" if why else f"it is from {other}'s address",
        of_player=other is not None,
    )


def _tell(case: SeatCase, found: Doubt) -> None:
    kind, work, loaded, letters = LetterKind.HELD, case.work, case.loaded, case.letters
    # Once in so long, however many such mails come.
    pause = kind.pause
    assert pause is not None, "held mails are told with a pause"
    if count_messages(case.session, case.seat.address, work.clock.now() - pause, (kind,)):
        return
    frame = letters.frame(loaded, case.seat)
    rendered = work.reports.held(frame, "player" if found.of_player else "server")
    letters.to_player(loaded, case.seat, Letter(kind, rendered, loaded.game.turn))
    sentences = (
        f"A mail with {case.seat.name}'s token came, and {found.said}.",
        f"Nothing in it was done. `postal inbox show {case.row.id}` shows it.",
        f"`postal inbox release {case.row.id}` takes it as his.",
    )
    letters.notify_gm("a doubtful mail is held", sentences, loaded)


def _other_player(case: SeatCase) -> str | None:
    """Return whose address a mail is from if it is another player's of the game, else None.

    Addresses that differ in their ``+detail`` alone are one mailbox.
    """
    senders = frozenset(map(base_address, case.incoming.senders))
    owners = {
        seat.name
        for seat in case.loaded.seats
        for address in seat.addresses
        if base_address(address) in senders
    }
    return None if case.seat.name in owners else min(owners, default=None)

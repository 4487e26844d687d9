"""Holds a mail with a good token whose sender is doubtful, for the GM to judge."""

from __future__ import annotations

from sqlmodel import Session

from postal.mail.authentication import doubt
from postal.mail.gate import base_address
from postal.mail.incoming import Incoming
from postal.service.post import PAUSES, frame_of, notify_gm, queue_to_player
from postal.service.senders import Seated
from postal.service.work import LoadedGame, Workplace
from postal.store.addresses import confirmed_addresses
from postal.store.orders import attendance
from postal.store.outbox import count_messages
from postal.store.rows import MailRow, MailStatus


def held_for_doubt(  # noqa: PLR0913 - the whole of a mail's circumstances
    session: Session,
    work: Workplace,
    loaded: LoadedGame,
    seated: Seated,
    row: MailRow,
    incoming: Incoming,
) -> bool:
    """Set a doubtful mail aside, telling the registered player and the GM; whether it was one.

    Doubtful is a mail that the receiving server doubts, and one from the address of another
    player of the game: a token may have got about, and an address may be forged.
    """
    why = doubt(incoming, work.identity.authserv_id)
    other = _other_player(session, loaded, seated, incoming)
    if why is None and other is None:
        return False
    said = f"your mail server says {why}" if why else f"it is from {other}'s address"
    why = why or "it is from another player's address"
    row.status, row.reason = MailStatus.QUARANTINED, f"held, its sender is doubtful: {why}"
    if loaded.turn is not None and loaded.turn.number == seated.turn:
        # If it is his after all, the GM has until the deadline to say so (RULES.md 10.6).
        attendance(session, loaded.id, seated.turn, seated.player.name).troubled = True
    # Once in so long, however many such mails come.
    since = work.clock.now() - PAUSES["held"]
    if count_messages(session, seated.player.address, since, ("held",)):
        return True
    frame = frame_of(work, loaded, seated.player.name)
    queue_to_player(
        session,
        work,
        loaded,
        seated.player,
        kind="held",
        rendered=work.reports.held(frame, "player" if other else "server"),
        turn=loaded.game.turn,
    )
    sentences = (
        f"A mail with {seated.player.name}'s token came, and {said}.",
        f"Nothing in it was done. `postal inbox show {row.id}` shows it.",
        f"`postal inbox release {row.id}` takes it as his.",
    )
    notify_gm(session, work, "a doubtful mail is held", sentences, loaded=loaded)
    return True


def _other_player(
    session: Session, loaded: LoadedGame, seated: Seated, incoming: Incoming
) -> str | None:
    """Return whose address a mail is from if it is another player's of the game, else None.

    Addresses that differ in their ``+detail`` alone are one mailbox.
    """
    senders = frozenset(map(base_address, incoming.senders))
    owners = {
        player.name
        for player in loaded.players
        for address in (player.address, *confirmed_addresses(session, player.id or 0))
        if base_address(address) in senders
    }
    return None if seated.player.name in owners else min(owners, default=None)

"""Whose mail it is: the token that it carries, since From proves nothing (MAIL.md)."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session, col, func, select

from postal.mail.incoming import Incoming, read
from postal.mail.tokens import candidates, same
from postal.service.work import Workplace
from postal.store.addresses import address_owner, addresses_to_confirm, players_with_address
from postal.store.games import all_games, players_of
from postal.store.rows import (
    AddressRow,
    GameRow,
    MailRow,
    MailStatus,
    PlayerRow,
    TurnRow,
    fold,
)

_COPIES = 50
"""Among how many mails of a turn, the latest, a copy is looked for."""


@dataclass(frozen=True, slots=True)
class Seated:
    """The player whose token a mail carries, and the turn that the token is for."""

    game: GameRow
    player: PlayerRow
    turn: int


def identify(session: Session, work: Workplace, incoming: Incoming) -> Seated | None:
    """Return the seat and turn of the first token in a mail that is one of ours, else None.

    Every token that was ever given out is compared, each in constant time; no look-up by the
    token itself could tell a guesser how near he came.
    """
    found = candidates(incoming)
    if not found:
        return None
    best: tuple[int, Seated] | None = None
    for game in all_games(session):
        assert game.id is not None, "a stored game has an id"
        players = players_of(session, game.id)
        last = session.exec(select(func.max(col(TurnRow.number))).where(TurnRow.game_id == game.id))
        # The final report's token is for the turn after the last, which never comes.
        for turn in range((last.one() or 0) + 2):
            for player in players:
                token = work.token(game, turn, player.name, player.token_serial)
                for place, candidate in enumerate(found):
                    if same(token, candidate) and (best is None or place < best[0]):
                        best = (place, Seated(game, player, turn))
    return best[1] if best else None


def confirming(
    session: Session, work: Workplace, incoming: Incoming
) -> tuple[AddressRow, PlayerRow, GameRow] | None:
    """Return the second address whose token a mail carries, not yet confirmed, else None.

    The mail must come from that address: what a program answers elsewhere confirms nothing. Nor
    is an address confirmed that another player of the game has had confirmed meanwhile.
    """
    found = candidates(incoming)
    for row in addresses_to_confirm(session) if found else ():
        owner = address_owner(session, row.id or 0)
        if owner is not None:
            token = work.address_token(owner[2], row.id or 0)
            theirs = incoming.senders and fold(incoming.senders[0]) == row.address_key
            if theirs and any(same(token, candidate) for candidate in found):
                others = players_with_address(session, row.address)
                taken = any(game.id == owner[2].id for game, _ in others)
                return None if taken else owner
    return None


def earlier_copy(session: Session, row: MailRow, incoming: Incoming) -> int | None:
    """Return the mail of the same seat and turn that this one is a copy of, else None.

    A server's copy, or a mail sent anew by somebody else, has other lines at its head, so that
    the bytes differ: Message-ID and text tell it. An old order must not undo a newer one.
    """
    name = incoming.message_id.encode()
    if not name:
        return None
    statement = select(MailRow).where(
        MailRow.game_id == row.game_id,
        MailRow.player == row.player,
        MailRow.turn == row.turn,
        MailRow.status == MailStatus.DONE,
        col(MailRow.id) < row.id,
    )
    for earlier in session.exec(statement.order_by(col(MailRow.id).desc()).limit(_COPIES)):
        if earlier.raw and name in earlier.raw:
            other = read(earlier.raw)
            if (other.message_id, other.texts) == (incoming.message_id, incoming.texts):
                return earlier.id
    return None

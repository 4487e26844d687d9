"""Whose mail it is: the token that it carries, since From proves nothing (MAIL.md)."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session, col, func, select

from postal.mail.incoming import Incoming
from postal.mail.tokens import candidates, same
from postal.service.work import Workplace
from postal.store.addresses import address_owner, addresses_to_confirm
from postal.store.games import all_games, players_of
from postal.store.rows import AddressRow, GameRow, PlayerRow, TurnRow


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
    """Return the second address whose token a mail carries, not yet confirmed, else None."""
    found = candidates(incoming)
    for row in addresses_to_confirm(session) if found else ():
        owner = address_owner(session, row.id or 0)
        if owner is not None:
            token = work.address_token(owner[2], row.id or 0)
            if any(same(token, candidate) for candidate in found):
                return owner
    return None

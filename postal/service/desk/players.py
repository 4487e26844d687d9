"""What the GM does for a player: a second address, and new tokens when his got about (MAIL.md)."""

from __future__ import annotations

from sqlmodel import Session

from postal.errors import PostalError, UsageError
from postal.mail.gate import base_address
from postal.mail.incoming import Incoming
from postal.service.newgame import plain_address
from postal.service.post import (
    address_frame,
    frame_of,
    notify_gm,
    queue_to_address,
    queue_to_player,
)
from postal.service.reporting import queue_report_again
from postal.service.senders import confirming
from postal.service.work import LoadedGame, Workplace, find_game, load_game
from postal.store.addresses import ask_address, players_with_address
from postal.store.games import player_by_name, players_at, running_games
from postal.store.rows import PlayerRow


def find_player(
    session: Session, name: str, slug: str | None = None
) -> tuple[LoadedGame, PlayerRow]:
    """Return the player of that name, in the game named or in the one running game that has him.

    Raises PostalError where there is none, or where several games have one.
    """
    rows = [find_game(session, slug)] if slug else running_games(session)
    found = [
        (load_game(session, row), player)
        for row in rows
        if (player := player_by_name(session, row.id or 0, name)) is not None
    ]
    if not found:
        where = slug or "any running game"
        raise PostalError(f"There is no player {name!r} in {where}: see `postal game show GAME`.")
    if len(found) > 1:
        games = ", ".join(loaded.row.slug for loaded, _ in found)
        raise PostalError(f"{name} plays in {games}: name one with --game.")
    return found[0]


def add_address(work: Workplace, name: str, address: str, slug: str | None = None) -> str:
    """Ask for a player's second address: both addresses get a mail; returns the game's name.

    It counts from an answer to the mail that goes to the new address. Raises UsageError for an
    address that won't do.
    """
    if not plain_address(address):
        raise UsageError(f"{address!r} is no mail address.")
    own = (work.identity.mailbox, work.identity.gm_address)
    if base_address(address) in map(base_address, own):
        raise UsageError(f"{address} is the games' own or the GM's address.")
    with work.database.transaction() as session:
        loaded, player = find_player(session, name, slug)
        for game, other in (*players_at(session, address), *players_with_address(session, address)):
            if game.id == loaded.id:
                raise UsageError(f"{address} is {other.name}'s address already.")
        assert player.id is not None, "a stored player has an id"
        row = ask_address(session, player.id, address, work.clock.now())
        token = work.address_token(loaded.row, row.id or 0)
        there = address_frame(work, loaded, token)
        asked = work.reports.address(there, player.name, address, "confirm")
        queue_to_address(session, work, loaded, player, address, asked, token)
        frame = frame_of(work, loaded, player.name)
        told = work.reports.address(frame, player.name, address, "asked")
        queue_to_player(
            session,
            work,
            loaded,
            player,
            kind="address",
            rendered=told,
            turn=loaded.game.turn,
        )
    return loaded.row.slug


def confirm_address(session: Session, work: Workplace, incoming: Incoming) -> str | None:
    """Confirm the second address whose token a mail carries, telling both; None where it has none.

    Returns what was done, as a phrase.
    """
    found = confirming(session, work, incoming)
    if found is None:
        return None
    row, player, game = found
    row.confirmed_at = work.clock.now()
    loaded = load_game(session, game)
    turn = loaded.game.turn
    frame = frame_of(work, loaded, player.name)
    told = work.reports.address(frame, player.name, row.address, "done")
    queue_to_player(session, work, loaded, player, kind="address", rendered=told, turn=turn)
    token = work.address_token(game, row.id or 0)
    there = address_frame(work, loaded, token)
    told = work.reports.address(there, player.name, row.address, "done")
    queue_to_address(session, work, loaded, player, row.address, told, token)
    sentence = f"{player.name} may now write from {row.address} too."
    notify_gm(session, work, "a second address is confirmed", (sentence,), loaded=loaded)
    return f"confirmed a second address of player {player.id}"


def revoke_tokens(work: Workplace, name: str, slug: str | None = None) -> str:
    """Make all of a player's tokens worthless and send him his report with a new one.

    For a player who pasted his report somewhere. Returns the game's name.
    """
    with work.database.transaction() as session:
        loaded, player = find_player(session, name, slug)
        player.token_serial += 1
        session.add(player)
        session.flush()
        queue_report_again(session, work, loaded, player)
    return loaded.row.slug

"""Look-ups of games and players."""

from collections.abc import Sequence

from sqlmodel import Session, col, select

from postal.store.rows import GameRow, GameStatus, PlayerRow, fold


def game_by_slug(session: Session, slug: str) -> GameRow | None:
    """Return the game of that name."""
    return session.exec(select(GameRow).where(GameRow.slug == slug)).one_or_none()


def all_games(session: Session) -> Sequence[GameRow]:
    """Return every game, oldest first."""
    return session.exec(select(GameRow).order_by(col(GameRow.id))).all()


def running_games(session: Session) -> Sequence[GameRow]:
    """Return the games in play, oldest first."""
    statement = select(GameRow).where(GameRow.status == GameStatus.RUNNING)
    return session.exec(statement.order_by(col(GameRow.id))).all()


def players_of(session: Session, game_id: int) -> Sequence[PlayerRow]:
    """Return a game's players in the order of their positions."""
    statement = select(PlayerRow).where(PlayerRow.game_id == game_id)
    return session.exec(statement.order_by(col(PlayerRow.position))).all()


def player_by_name(session: Session, game_id: int, name: str) -> PlayerRow | None:
    """Return the player of that name in a game, without regard to case."""
    statement = select(PlayerRow).where(
        PlayerRow.game_id == game_id, PlayerRow.name_key == fold(name)
    )
    return session.exec(statement).one_or_none()


def players_at(session: Session, address: str) -> Sequence[tuple[GameRow, PlayerRow]]:
    """Return each game, and the player in it, registered with a mail address, oldest first."""
    statement = (
        select(GameRow, PlayerRow)
        .where(GameRow.id == PlayerRow.game_id, PlayerRow.address_key == fold(address))
        .order_by(col(GameRow.id))
    )
    return session.exec(statement).all()

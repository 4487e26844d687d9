"""Mail that is kept for later: it is tried anew at once when what it waited for is there."""

from __future__ import annotations

from sqlmodel import Session, col, update

from postal.store.rows import MailRow, MailStatus


def try_kept_mail_now(session: Session, game_id: int) -> None:
    """Let the mail of a game that was to be tried again later be tried at the next poll."""
    kept = update(MailRow).where(
        col(MailRow.game_id) == game_id,
        col(MailRow.status) == MailStatus.NEW,
        col(MailRow.next_try_at).is_not(None),
    )
    session.exec(kept.values(next_try_at=None))

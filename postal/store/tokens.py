"""Tokens that were given out, found by their digest in one look-up and revoked by deleting."""

import hashlib
from collections.abc import Collection, Iterable
from datetime import datetime

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from postal.store.inserting import insert_new
from postal.store.rows import SeatRow, TokenKind, TokenRow


def digest(token: str) -> str:
    """Return what is stored of a token, whatever the case that a mail gave it: SHA-256 in hex.

    The look-up is by the digest: how near a guess came shows in no answer's time.
    """
    return hashlib.sha256(token.lower().encode()).hexdigest()


def issue(session: Session, rows: Iterable[TokenRow]) -> None:
    """Store tokens that are given out, but for those that are there already."""
    given = {row.digest: row for row in rows}
    statement = select(col(TokenRow.digest)).where(col(TokenRow.digest).in_(given))
    known = set(session.exec(statement).all()) if given else set()
    # The answer to a late mail may give out the next turn's token while that turn is opened.
    new = [given[name].model_dump() for name in sorted(given) if name not in known]
    insert_new(session, TokenRow, new)


def token_for_seat(token: str, seat_id: int, turn: int, now: datetime) -> TokenRow:
    """Return the row of a token that orders for a seat's turn."""
    return TokenRow(
        digest=digest(token), kind=TokenKind.ORDERS, seat_id=seat_id, turn=turn, issued_at=now
    )


def token_for_address(token: str, address_id: int, now: datetime) -> TokenRow:
    """Return the row of a token that confirms an address."""
    return TokenRow(
        digest=digest(token), kind=TokenKind.ADDRESS, address_id=address_id, issued_at=now
    )


def known_tokens(session: Session, tokens: Collection[str]) -> dict[str, TokenRow]:
    """Return those of some tokens that were given out, by one statement; keys as handed in."""
    digests = {token: digest(token) for token in tokens}
    if not digests:
        return {}
    statement = select(TokenRow).where(col(TokenRow.digest).in_(set(digests.values())))
    rows = {row.digest: row for row in session.exec(statement).all()}
    return {token: rows[name] for token, name in digests.items() if name in rows}


def revoke(session: Session, seat_ids: Collection[int]) -> int:
    """Delete every token of some seats, which get new ones from then on; return how many."""
    if not seat_ids:
        return 0
    seats = update(SeatRow).where(col(SeatRow.id).in_(seat_ids))
    session.exec(seats.values(token_serial=col(SeatRow.token_serial) + 1))
    statement = delete(TokenRow).where(col(TokenRow.seat_id).in_(seat_ids))
    return session.exec(statement).rowcount


def revoke_for_address(session: Session, address_id: int) -> None:
    """Delete the tokens that confirm an address."""
    session.exec(delete(TokenRow).where(col(TokenRow.address_id) == address_id))


class KnownTokens:
    """Every token that was given out, looked up when asked: not even a bare one is shown."""

    def __init__(self, session: Session) -> None:
        """Take the session to look them up in."""
        self._session = session
        self._asked: dict[str, bool] = {}

    def __contains__(self, text: object) -> bool:
        """Whether a text is one of them."""
        token = str(text)
        if token not in self._asked:
            self._asked[token] = bool(known_tokens(self._session, [token]))
        return self._asked[token]

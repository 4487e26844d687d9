"""Tokens that were given out, found by their digest in one look-up and revoked by deleting."""

import hashlib
from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from typing import NamedTuple, TypeVar

from sqlalchemy import and_, bindparam, delete, update
from sqlmodel import Session, col, select

from postal.store.inserting import insert_new
from postal.store.rows import GameRow, SeatRow, TokenKind, TokenRow

_Found = TypeVar("_Found")

# Made once, for every mail needs them: to make a statement takes longer than to send it.
_ASKED = col(TokenRow.digest).in_(bindparam("digests", expanding=True))
_ORDERING = (
    _ASKED,
    col(TokenRow.kind).in_((TokenKind.ORDERS, TokenKind.RESIGN)),
    col(SeatRow.id) == TokenRow.seat_id,
    col(GameRow.id) == SeatRow.game_id,
)
_KNOWN = select(TokenRow).where(_ASKED)
_GIVEN = select(TokenRow.digest).where(_ASKED)
_SEATS = select(TokenRow, GameRow, SeatRow).where(*_ORDERING)
_IDS = select(TokenRow.digest, SeatRow.game_id, TokenRow.seat_id, TokenRow.turn).where(*_ORDERING)


class OrdersFor(NamedTuple):
    """What a token orders for."""

    game_id: int
    seat_id: int
    turn: int


_AT_ONCE = 500
"""How many values one statement names: databases have limits."""


def digest(token: str) -> str:
    """Return what is stored of a token, whatever the case that a mail gave it: SHA-256 in hex.

    The look-up is by the digest: how near a guess came shows in no answer's time.
    """
    return hashlib.sha256(token.lower().encode()).hexdigest()


def issue(session: Session, rows: Iterable[TokenRow]) -> None:
    """Store tokens that are given out, but for those that are there already."""
    given = {row.digest: row for row in rows}
    asked = {"digests": list(given)}
    known = set(session.exec(_GIVEN, params=asked).all()) if given else set()
    # The answer to a late mail may give out the next turn's token while that turn is opened.
    new = [given[name].model_dump() for name in sorted(given) if name not in known]
    insert_new(session, TokenRow, new)


def token_for_seat(token: str, seat_id: int, turn: int, now: datetime) -> TokenRow:
    """Return the row of a token that orders for a seat's turn."""
    return TokenRow(
        digest=digest(token), kind=TokenKind.ORDERS, seat_id=seat_id, turn=turn, issued_at=now
    )


def token_for_resigning(
    token: str, seat_id: int, turn: int, now: datetime, good_until: datetime
) -> TokenRow:
    """Return the row of a token that confirms until then that a seat's holder gives it up."""
    return TokenRow(
        digest=digest(token),
        kind=TokenKind.RESIGN,
        seat_id=seat_id,
        turn=turn,
        issued_at=now,
        good_until=good_until,
    )


def token_for_person(token: str, person_id: int, now: datetime) -> TokenRow:
    """Return the row of a token that says that a mail is a person's, who may hold no seat."""
    return TokenRow(digest=digest(token), kind=TokenKind.PERSON, person_id=person_id, issued_at=now)


def token_for_address(token: str, address_id: int, now: datetime) -> TokenRow:
    """Return the row of a token that confirms an address."""
    return TokenRow(
        digest=digest(token), kind=TokenKind.ADDRESS, address_id=address_id, issued_at=now
    )


def known_tokens(session: Session, tokens: Collection[str]) -> dict[str, TokenRow]:
    """Return those of some tokens that were given out, by one statement; keys as handed in."""
    return _keyed(
        tokens, lambda asked: {row.digest: row for row in session.exec(_KNOWN, params=asked)}
    )


def seats_by_token(
    session: Session, tokens: Collection[str]
) -> dict[str, tuple[GameRow, SeatRow, int, bool]]:
    """Return game, seat, turn and whether that is void of those of some tokens that order for one.

    It takes one statement.
    """
    return _keyed(
        tokens,
        lambda asked: {
            token.digest: (game, seat, token.turn or 0, token.void_at is not None)
            for token, game, seat in session.exec(_SEATS, params=asked)
        },
    )


def orders_for(session: Session, tokens: Collection[str]) -> dict[str, OrdersFor]:
    """Return what ``seats_by_token`` does by its ids alone, without loading a game or a seat."""
    return _keyed(
        tokens,
        lambda asked: {
            name: OrdersFor(game, seat or 0, turn or 0)
            for name, game, seat, turn in session.exec(_IDS, params=asked)
        },
    )


def tokens_among(session: Session, texts: Collection[str]) -> set[str]:
    """Return those of very many texts, in lower case, that are tokens which were given out."""
    ordered = sorted(texts)
    found: set[str] = set()
    for first in range(0, len(ordered), _AT_ONCE):
        found |= set(known_tokens(session, ordered[first : first + _AT_ONCE]))
    return found


def revoke(session: Session, seat_ids: Collection[int]) -> int:
    """Delete every token of some seats, which get new ones from then on; return how many."""
    if not seat_ids:
        return 0
    seats = update(SeatRow).where(col(SeatRow.id).in_(seat_ids))
    session.exec(seats.values(token_serial=col(SeatRow.token_serial) + 1))
    statement = delete(TokenRow).where(col(TokenRow.seat_id).in_(seat_ids))
    return session.exec(statement).rowcount


def make_void(
    session: Session, seat_ids: Collection[int], from_turn: int, now: datetime, serial: int
) -> None:
    """Make the tokens of some seats void for a turn and all later ones; new ones have ``serial``.

    They still say whose a mail is, so that it can be answered (RULES.md 10.7).
    """
    of_seats = col(TokenRow.seat_id).in_(seat_ids)
    later = and_(of_seats, col(TokenRow.turn) >= from_turn, col(TokenRow.void_at).is_(None))
    session.exec(update(TokenRow).where(later).values(void_at=now))
    seats = update(SeatRow).where(col(SeatRow.id).in_(seat_ids))
    session.exec(seats.values(token_serial=serial))


def revoke_for_address(session: Session, address_id: int) -> None:
    """Delete the tokens that confirm an address."""
    session.exec(delete(TokenRow).where(col(TokenRow.address_id) == address_id))


def revoke_for_person(session: Session, person_id: int) -> None:
    """Delete the tokens by which a person's mail is known where he holds no seat."""
    session.exec(delete(TokenRow).where(col(TokenRow.person_id) == person_id))


def _keyed(
    tokens: Collection[str], ask: Callable[[dict[str, list[str]]], dict[str, _Found]]
) -> dict[str, _Found]:
    """Return what is known of some tokens, asked for by their digests; keys as handed in."""
    digests = {token: digest(token) for token in tokens}
    found = ask({"digests": sorted(set(digests.values()))}) if digests else {}
    return {token: found[name] for token, name in digests.items() if name in found}


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

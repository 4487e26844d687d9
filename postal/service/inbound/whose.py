"""Whose mail it is: the token that it carries, since From proves nothing (MAIL.md)."""

from __future__ import annotations

from dataclasses import dataclass

from sqlmodel import Session

from postal.mail.incoming import Incoming, read
from postal.mail.tokens import candidates
from postal.store.mails import earlier_of_seat
from postal.store.rows import AddressRow, GameRow, MailRow, PersonRow, SeatRow, TokenKind, fold
from postal.store.tokens import OrdersFor, known_tokens, orders_for, seats_by_token

_COPIES = 50
"""Among how many mails of a turn, the latest, a copy is looked for."""


@dataclass(frozen=True, slots=True)
class Whose:
    """The seat whose token a mail carries, its game, and the turn that the token is for.

    ``void``: that turn was taken back (RULES.md 10.7), and the token orders nothing any more.
    """

    game: GameRow
    seat: SeatRow
    turn: int
    void: bool = False

    @property
    def seat_id(self) -> int:
        """The seat's id in the store."""
        assert self.seat.id is not None, "a stored seat has an id"
        return self.seat.id


def identify(session: Session, incoming: Incoming) -> Whose | None:
    """Return whose the first token in a mail is that lets a seat order or resign, else None.

    All that may be tokens in it are looked up together, by their digests.
    """
    found = candidates(incoming)
    known = seats_by_token(session, found)
    return next((Whose(*known[one]) for one in found if one in known), None)


def named_in(session: Session, incoming: Incoming) -> OrdersFor | None:
    """Return whose a mail is as ``identify`` does, by their ids alone."""
    found = candidates(incoming)
    known = orders_for(session, found)
    return next((known[one] for one in found if one in known), None)


def asked_person(session: Session, incoming: Incoming) -> PersonRow | None:
    """Return the person whom the letter was written to that a mail answers, by its token."""
    found = candidates(incoming)
    known = known_tokens(session, found)
    tokens = (known[one] for one in found if one in known)
    token = next((one for one in tokens if one.kind is TokenKind.PERSON), None)
    return session.get(PersonRow, token.person_id) if token and token.person_id else None


def confirming(session: Session, incoming: Incoming) -> AddressRow | None:
    """Return the address whose token a mail carries, not yet confirmed, else None.

    The mail must come from that address: what a program answers elsewhere confirms nothing.
    """
    found = candidates(incoming)
    known = known_tokens(session, found)
    tokens = (known[one] for one in found if one in known)
    token = next((one for one in tokens if one.kind is TokenKind.ADDRESS), None)
    row = session.get(AddressRow, token.address_id) if token else None
    if row is None or row.confirmed_at is not None or not incoming.senders:
        return None
    return row if fold(incoming.senders[0]) == row.address_key else None


def earlier_copy(session: Session, row: MailRow, whose: Whose, incoming: Incoming) -> int | None:
    """Return the mail of the same seat and turn that this one is a copy of, else None.

    A server's copy, or a mail sent anew by somebody else, has other lines at its head, so that
    the bytes differ: Message-ID and text tell it. An old order must not undo a newer one.
    """
    name = incoming.message_id.encode()
    if not name or row.id is None:
        return None
    for earlier, raw in earlier_of_seat(session, row.id, whose.seat_id, whose.turn, _COPIES):
        if raw and name in raw:
            other = read(raw)
            if (other.message_id, other.texts) == (incoming.message_id, incoming.texts):
                return earlier
    return None

"""What every use case is handed: database, clock, reports, and who the mails come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from postal.clock import Clock
from postal.mail.tokens import make_token
from postal.reports import Reports
from postal.store.database import Database
from postal.store.rows import GameRow, SeatRow

LEASE = timedelta(minutes=4)
"""How long a process has what it took to work on: far longer than that takes. What a process had
that was killed is taken up at another's next round after that: within five minutes."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the mails come from: the GM's name and own address, and the games' mailbox.

    ``plus``: whether the mailbox takes plus addresses, so that a token can stand in them.
    ``authserv_id`` names the server whose doubts about a sender count; empty: none.
    """

    gm_name: str
    gm_address: str
    mailbox: str
    plus: bool
    authserv_id: str = ""

    @property
    def domain(self) -> str:
        """The domain of the mailbox, which Message-IDs and List-Ids end in."""
        return self.mailbox.rpartition("@")[2]


@dataclass(frozen=True, slots=True)
class Workplace:
    """Everything a use case needs, wired once at the start.

    ``account`` and ``folder`` name the polled mailbox in the store; ``new_name`` gives random
    names for Message-IDs and leases. ``owner`` names this process to others on the same database.
    What was away for ``outage_after`` was an outage (RULES.md 9.1); zero: nothing ever is.
    """

    database: Database
    clock: Clock
    reports: Reports
    identity: Identity
    account: str
    folder: str
    new_name: Callable[[int], str]
    token_key: bytes = field(repr=False)
    owner: str = "here"
    outage_after: timedelta = timedelta(0)

    def token(self, game: GameRow, turn: int, seat: SeatRow) -> str:
        """Return the token that lets a seat order for one turn (MAIL.md, Who wrote it).

        The seat's ``token_serial`` is part of it: a new one makes all his tokens new. No name
        holds the sign that it is joined to him by.
        """
        serial = seat.token_serial
        name = f"{seat.name}#{serial}" if serial else seat.name
        return make_token(self.token_key, game.slug, game.deal, turn, name)

    def resigning_token(self, game: GameRow, turn: int, seat: SeatRow) -> str:
        """Return the token that confirms, in that turn, that a seat's holder gives it up."""
        name = f"{seat.name}#{seat.token_serial}#resign"
        return make_token(self.token_key, game.slug, game.deal, turn, name)

    def standby_token(self, standby_id: int, address: str) -> str:
        """Return the token by which a standby's mail is known to be his, at that address of his."""
        return make_token(self.token_key, "", 0, -2, f"#standby {standby_id} {address}")

    def address_token(self, address_id: int) -> str:
        """Return the token that confirms an address of a person."""
        return make_token(self.token_key, "", 0, -1, f"#address {address_id}")

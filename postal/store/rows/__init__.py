"""The tables, one class each; rows are no domain types and check nothing by themselves.

Every moment is UTC and aware. A row's repr holds its ids alone, since the rest may be secret.
"""

from postal.store.rows.base import METADATA, Row, fold
from postal.store.rows.games import (
    AddressRow,
    AttendanceRow,
    GameRow,
    GameStatus,
    OrderAction,
    OrderHistoryRow,
    OrderRow,
    PlayerRow,
    TurnRow,
    TurnStatus,
)
from postal.store.rows.mails import (
    AccountRow,
    MailRow,
    MailStatus,
    OutboxRow,
    OutboxState,
    SettingRow,
)

__all__ = [
    "METADATA",
    "AccountRow",
    "AddressRow",
    "AttendanceRow",
    "GameRow",
    "GameStatus",
    "MailRow",
    "MailStatus",
    "OrderAction",
    "OrderHistoryRow",
    "OrderRow",
    "OutboxRow",
    "OutboxState",
    "PlayerRow",
    "Row",
    "SettingRow",
    "TurnRow",
    "TurnStatus",
    "fold",
]

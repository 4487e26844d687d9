"""The tables, one class each; rows are no domain types and check nothing by themselves.

Every moment is UTC and aware. A row's repr holds its ids alone, since the rest may be secret.
"""

from postal.store.rows.absence import (
    AbsenceRow,
    ObserverRow,
    PressRow,
    ProtestRow,
    StandbyRow,
)
from postal.store.rows.base import METADATA, Row, fold
from postal.store.rows.desk import (
    JournalRow,
    OutageRow,
    OutageWhat,
    TroubleKind,
    TroubleRow,
)
from postal.store.rows.games import (
    AttendanceRow,
    GameRow,
    GameStatus,
    OrderAction,
    OrderHistoryRow,
    OrderRow,
    TurnRow,
    TurnStatus,
)
from postal.store.rows.mails import (
    AccountRow,
    Hindrance,
    MailRow,
    MailStatus,
    OutboxRow,
    OutboxState,
    SettingRow,
)
from postal.store.rows.people import (
    AddressRow,
    HolderRow,
    PersonRow,
    SeatRow,
    TokenKind,
    TokenRow,
)

__all__ = [
    "METADATA",
    "AbsenceRow",
    "AccountRow",
    "AddressRow",
    "AttendanceRow",
    "GameRow",
    "GameStatus",
    "Hindrance",
    "HolderRow",
    "JournalRow",
    "MailRow",
    "MailStatus",
    "ObserverRow",
    "OrderAction",
    "OrderHistoryRow",
    "OrderRow",
    "OutageRow",
    "OutageWhat",
    "OutboxRow",
    "OutboxState",
    "PersonRow",
    "PressRow",
    "ProtestRow",
    "Row",
    "SeatRow",
    "SettingRow",
    "StandbyRow",
    "TokenKind",
    "TokenRow",
    "TroubleKind",
    "TroubleRow",
    "TurnRow",
    "TurnStatus",
    "fold",
]

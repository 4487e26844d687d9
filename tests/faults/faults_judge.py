"""What came of a turn, and how that compares with the same turn undisturbed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlmodel import Session, select

from postal.service.loading import find_game, load_game
from postal.service.outbound.kinds import LetterKind
from postal.store.codec import decode_book
from postal.store.rows import (
    GameRow,
    MailRow,
    MailStatus,
    OutboxRow,
    OutboxState,
    SeatRow,
    TurnRow,
    TurnStatus,
)
from tests.faults.faults_breaker import DATABASE, FILE, IMAP, ONCE, SMTP, Fault
from tests.faults.faults_imap import BODY, UNDATED
from tests.faults.faults_play import GM, House, subject_of
from tests.faults.faults_stage import (
    ABSENT,
    DEADLINE,
    HIS_OWN,
    LATEST,
    STRANGER,
    TURN,
    Setting,
)
from tests.service.service_league import SLUG

SAME, TOLD, HELD = "same", "same, GM told", "went on without"
"""How a fault may end: as undisturbed; later or otherwise, the GM being told; and without a mail
that was not handed over in ``unread_hours``, its sender not being NMR (RULES.md 10.5), or whose
time the server didn't tell, so that it counts as seen after the deadline (MAIL.md)."""

LOST, ABSENT_WRONGLY, UNWRITTEN = "ORDER LOST", "RULED ABSENT", "NOT WRITTEN TO"
CONTENTS, TWICE, MISSING = "TWO CONTENTS", "TWICE", "MAIL MISSING"
SILENT, STUCK, OTHER, FLOOD = "SILENT", "STUCK", "OTHER STATE", "FLOOD"
DELAYED = "HELD TOO LONG"
UNMET, BROKEN, HUNG = "NOT MET", "BROKEN", "HUNG"
"""How none may end; the last three are the harness's own."""

BAD = frozenset(
    {
        LOST,
        ABSENT_WRONGLY,
        UNWRITTEN,
        CONTENTS,
        TWICE,
        MISSING,
        SILENT,
        STUCK,
        OTHER,
        FLOOD,
        DELAYED,
    }
    | {UNMET, BROKEN, HUNG}
)

UNREAD = timedelta(hours=24)
SLIGHT, MUCH = timedelta(hours=1), timedelta(hours=3)
"""A turn or a mail that is later by less is no harm of which the GM must know."""

ALONE = timedelta(hours=24 + 4)
"""So much later one player's mail may be: a day, and the longest pause between two tries."""

MOST_NOTICES = 12

Letter = tuple[str, str, int | None]
"""A letter's recipient, kind and turn; of the GM's its subject instead of the kind."""


@dataclass
class Facts:
    """All that is compared."""

    quiet: bool
    orders: dict[str, list[str]] = field(default_factory=dict)
    missed: dict[str, int] = field(default_factory=dict)
    state: str = ""
    adjudicated: datetime | None = None
    deadline: datetime | None = None
    times: int = 0
    letters: Counter[Letter] = field(default_factory=Counter)
    first: dict[Letter, datetime] = field(default_factory=dict)
    contents: dict[str, set[str]] = field(default_factory=dict)
    subjects: list[str] = field(default_factory=list)
    asked: dict[str, datetime] = field(default_factory=dict)
    failed: int = 0
    unhandled: int = 0
    log: list[str] = field(default_factory=list)
    rounds: int = 0
    ended: datetime | None = None
    written: int = 0


def gather(house: House, *, quiet: bool) -> Facts:
    """Return what came of a turn."""
    facts = Facts(quiet, log=list(house.log), rounds=house.rounds, ended=house.clock.now())
    with house.database.reading() as session:
        _turn(session, facts)
        _mails(session, house, facts)
    log_file = house.folder / "postal.db-wal"
    facts.written = log_file.stat().st_size if log_file.exists() else 0
    return facts


def _turn(session: Session, facts: Facts) -> None:
    turns = session.exec(select(TurnRow).where(TurnRow.number == TURN)).all()
    done = [turn for turn in turns if turn.status is TurnStatus.DONE]
    facts.times = len(done)
    facts.deadline = turns[0].deadline
    if not done:
        return
    turn = done[0]
    for entry in decode_book(turn.orders or "").filed:
        facts.orders.setdefault(entry.player, []).append(entry.order.line())
    facts.orders = {player: sorted(lines) for player, lines in facts.orders.items()}
    facts.adjudicated, facts.state = turn.adjudicated_at, turn.state or ""
    game = session.exec(select(GameRow)).one()
    loaded = load_game(session, find_game(session, SLUG))
    if loaded.game.turn == TURN + 1 or game.ended_at is None:
        facts.missed = dict(loaded.game.missed)


def _mails(session: Session, house: House, facts: Facts) -> None:
    rows = {row.message_id: row for row in session.exec(select(OutboxRow)).all()}
    seats = {row.id: row.name for row in session.exec(select(SeatRow)).all()}
    for at, recipient, raw in house.smtp.taken:
        name = _message_id(raw)
        content = hashlib.sha256(recipient.encode() + b"\n" + raw).hexdigest()
        known = facts.contents.setdefault(name, set())
        row = rows.get(name)
        if not known and row is not None:
            subject = subject_of(raw)
            kind = subject if recipient == GM else row.kind
            letter = (seats.get(row.seat_id, recipient), kind, row.turn)
            facts.letters[letter] += 1
            facts.first.setdefault(letter, at)
        known.add(content)
        if recipient == GM:
            facts.subjects.append(subject_of(raw))
    tokens = house.stage.tokens
    facts.asked = {who: house.asked[one] for who, one in tokens.items() if one in house.asked}
    facts.failed = sum(row.state is OutboxState.FAILED for row in rows.values())
    done = (MailStatus.DONE, MailStatus.IGNORED, MailStatus.REJECTED)
    facts.unhandled = sum(row.status not in done for row in session.exec(select(MailRow)).all())


def _message_id(raw: bytes) -> str:
    for line in raw.replace(b"\r\n\t", b" ").replace(b"\r\n ", b" ").split(b"\r\n"):
        if line.lower().startswith(b"message-id:"):
            return line.partition(b":")[2].strip().decode()
    return ""


@dataclass(frozen=True)
class Judge:
    """Compares what came of a fault with what comes without one."""

    setting: Setting
    base: Facts
    deadline: datetime

    def judge(self, fault: Fault, begins: datetime, facts: Facts) -> tuple[str, str]:
        """Return how the fault ended, and what shows it."""
        told = [one for one in facts.subjects if one not in self.base.subjects]
        if fault.whose == HIS_OWN:
            # What ails his own mailbox he can be told of by the log alone.
            told += facts.log
        alone = self._alone(fault, begins, facts)
        without = alone or self._undated(fault)
        for verdict, found in (
            (CONTENTS, [name for name, texts in facts.contents.items() if len(texts) > 1]),
            (STUCK, [] if facts.quiet else [f"{facts.rounds} rounds, {facts.log[-1:]}"]),
            (TWICE, self._doubled(facts)),
            (LOST, self._lost(facts, without)),
            (ABSENT_WRONGLY, self._absent(facts, self._undated(fault))),
            (UNWRITTEN, self._unwritten(fault, facts)),
            (MISSING, self._missing(fault, facts, without)),
            (OTHER, [] if without or facts.state == self.base.state else ["the game differs"]),
            (FLOOD, told if len(told) > MOST_NOTICES else []),
            (DELAYED, self._delayed(fault, facts)),
            (SILENT, [] if told else self._harm(fault, facts)),
            (SILENT, self._untold(facts, alone, told)),
        ):
            if found:
                return verdict, "; ".join(map(str, found[:4]))
        if without and self.base.orders != facts.orders:
            return HELD, "; ".join(told)
        return (TOLD if told else SAME), "; ".join(dict.fromkeys(told))

    def _alone(self, fault: Fault, begins: datetime, facts: Facts) -> str:
        """Return whose mail was not handed over in time though others' were: 10.5 lets it go."""
        if fault.place != IMAP or not fault.whose or not fault.lasting or fault.how in UNDATED:
            return ""
        deadline = facts.deadline or self.deadline
        return fault.whose if begins + timedelta(hours=fault.hours) >= deadline + UNREAD else ""

    def _undated(self, fault: Fault) -> str:
        """Return whose mail came before the deadline and may be seen after it, without its time."""
        last = self.setting.ends == DEADLINE and fault.whose in ("", LATEST)
        return LATEST if last and fault.lasting and fault.how in UNDATED else ""

    def _doubled(self, facts: Facts) -> list[str]:
        extra = facts.letters - self.base.letters
        known = [
            one for one in extra if one in self.base.letters and not self._otherwise(one, facts)
        ]
        found = [f"{letter}" for letter in known if letter[0] != GM]
        return found + ["the turn"] * (facts.times > 1)

    def _lost(self, facts: Facts, alone: str) -> list[str]:
        found = []
        for player, lines in self.base.orders.items():
            if facts.orders.get(player) != lines and player != alone:
                found.append(f"{player}: {facts.orders.get(player)}")
        late = [one[0] for one in facts.letters - self.base.letters if one[1] == "late"]
        return found + [f"{player} was too late" for player in late if player != alone]

    def _absent(self, facts: Facts, but: str) -> list[str]:
        base: Mapping[str, int] = self.base.missed
        found = [who for who, count in facts.missed.items() if count > base.get(who, 0)]
        return [who for who in found if who != but]

    def _unwritten(self, fault: Fault, facts: Facts) -> list[str]:
        """Return who is absent though his report came too late, or not at all."""
        if self.setting.ends != DEADLINE or not facts.missed.get(ABSENT):
            return []
        asked, done = facts.asked.get(ABSENT), facts.adjudicated
        if asked is None or done is None or asked > done:
            return [f"{ABSENT}: {asked}"]
        usual = self.deadline - self.base.asked[ABSENT]
        ours = fault.place == SMTP and fault.lasting and not fault.whose
        if ours and done - asked < usual - 2 * SLIGHT:
            return [f"{ABSENT} had {done - asked}"]
        return []

    def _missing(self, fault: Fault, facts: Facts, alone: str) -> list[str]:
        missing = self.base.letters - facts.letters
        excused = (alone, GM) if alone else (GM,) if fault.whose == HIS_OWN and facts.log else ()
        left = [one for one in missing if not self._otherwise(one, facts)]
        return [f"{letter}" for letter in left if letter[0] not in excused]

    def _otherwise(self, letter: Letter, facts: Facts) -> bool:
        """Whether it is a reminder of a deadline that was moved: others may owe orders then."""
        return letter[1] == LetterKind.REMINDER and facts.deadline != self.base.deadline

    def _delayed(self, fault: Fault, facts: Facts) -> list[str]:
        """Return by how much a turn is late for one mail's sake, where that is too much (10.5)."""
        if fault.place != IMAP or not fault.whose or not facts.adjudicated:
            return []
        # A stranger's, whose header tells that he is one, holds nobody.
        stranger = fault.whose == STRANGER and fault.name == BODY
        late = facts.adjudicated - (self.base.adjudicated or facts.adjudicated)
        most = SLIGHT if stranger else UNREAD + 2 * SLIGHT
        return [f"the turn {late} late"] if late > most else []

    def _untold(self, facts: Facts, alone: str, told: list[str]) -> list[str]:
        """Return what shows that the GM was not told twice of a mail that the turn went without."""
        without = alone in self.base.orders and facts.orders.get(alone) != self.base.orders[alone]
        return [f"{alone}'s mail is told of once"] if without and len(told) < 2 else []

    def _harm(self, fault: Fault, facts: Facts) -> list[str]:
        """Return what the GM must know of."""
        if fault.place in (DATABASE, FILE) and facts.log:
            return []
        harm = []
        if facts.adjudicated and self.base.adjudicated:
            late = facts.adjudicated - self.base.adjudicated
            harm += [f"the turn {late} late"] if late > SLIGHT else []
        if facts.failed:
            harm.append(f"{facts.failed} mails failed")
        if facts.unhandled:
            harm.append(f"{facts.unhandled} mails not handled")
        if fault.span != ONCE:
            most = ALONE if fault.place == SMTP and fault.whose else MUCH
            harm += [
                f"{letter} {facts.first[letter] - at} late"
                for letter, at in self.base.first.items()
                if letter in facts.first and facts.first[letter] - at > most and letter[0] != GM
            ]
        return harm

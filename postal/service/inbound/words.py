"""What a mail says to people: to the GM, in the next report, and as a protest (ORDERS.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from postal.ordertext import Command, Reading
from postal.reports import Said
from postal.service.inbound.case import SeatCase
from postal.service.inbound.observing import observe
from postal.service.inbound.passing import Change, pass_on, plain_words
from postal.service.inbound.press import PressTaking
from postal.service.inbound.protests import protest, take_back

COMMANDS = frozenset({"gm", "press", "protest", "cancel-press", "cancel-protest", "observe"})
"""The commands whose answer stands in the receipt, being about words."""

_OF_PROTESTS = ("protest", "cancel-protest")


@dataclass(frozen=True, slots=True)
class Words:
    """What becomes of a mail's words: the case after it, what its writer is told, and the rest.

    ``holds``: the game is put on hold, so that nobody may claim a turn that was looked at before.
    """

    case: SeatCase
    said: tuple[Said, ...] = ()
    changes: tuple[Change, ...] = field(default=(), repr=False)
    holds: bool = False

    @property
    def done(self) -> bool:
        """Whether something of them is told at once, whatever else was told just before."""
        return any(one.kind != "kept-back" for one in self.said)


def take_words(case: SeatCase, reading: Reading) -> Words:
    """Return what becomes of the words of a mail; the letters that it calls for are written."""
    said: list[Said] = []
    changes: list[Change] = []
    plain = plain_words(case, reading)
    further = _further_protests(reading)
    to_gm = [] if plain is None else [plain]
    to_gm += [one.argument for one in reading.commands if one.name == "gm" or one in further]
    said += [Said("protest-twice") for _ in further]
    if to_gm:
        told, more = pass_on(case, "\n\n".join(to_gm))
        said.append(told)
        changes += more
    for commands in (_press(case, reading), _observing(case, reading)):
        said += commands[0]
        changes += commands[1]
    held = case
    about = [one for one in reading.commands if one.name in _OF_PROTESTS]
    for command in about[-1:]:
        if command.name == "protest":
            held, told, more = protest(case, command)
        else:
            told, more = take_back(case)
        said.append(told)
        changes += more
    return Words(held, tuple(said), tuple(changes), held is not case)


def _further_protests(reading: Reading) -> list[Command]:
    """Return the protests of a mail beside its last: two of a player are never open at once."""
    about = [one for one in reading.commands if one.name in _OF_PROTESTS]
    last = about[-1] if about else None
    if last is None or last.name != "protest":
        return []
    return [one for one in about[:-1] if one.name == "protest"]


def _press(case: SeatCase, reading: Reading) -> tuple[list[Said], Sequence[Change]]:
    commands = [one for one in reading.commands if one.name in ("press", "cancel-press")]
    if not commands:
        return [], ()
    taking = PressTaking(case)
    said = [taking.add(one) if one.name == "press" else taking.take_back() for one in commands]
    return said, taking.changes()


def _observing(case: SeatCase, reading: Reading) -> tuple[list[Said], Sequence[Change]]:
    said: list[Said] = []
    changes: list[Change] = []
    for command in reading.commands:
        if command.name == "observe":
            told, more = observe(case, case.seat.person, command.argument)
            said.append(told)
            changes += more
    return said, changes

"""What a whole mail orders: its text in one form or two, its attached texts and its subject."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from postal.engine.orders import Line
from postal.engine.problems import Fault, Problem
from postal.mail.incoming import Incoming
from postal.ordertext import Context, Reading, read_mail, read_quoted, read_subject
from postal.ordertext.subjects import is_answer

MOST_BESIDE = 200
"""Characters of a text beside an attached text that is then read, such as "see the file"."""

MOST_BESIDE_SUBJECT = 60
"""Characters of a text beside a subject that is then read: a signature, as phones add it."""

_NOTHING = Reading((), (), (), ())

_Finals = Mapping[tuple[str, type], Line]
"""The line that counts, being the last, for each table and kind of order."""


def read_whole(incoming: Incoming, context: Context, slug: str) -> Reading:
    """Return what a mail orders; ``slug`` is the game's name, with which our subjects begin.

    The first of its texts that gives orders or commands is what counts. Where there is HTML
    beside it that strikes a line out or orders otherwise, what differs is refused, since neither
    is surer. Where the text orders nothing and says little, an attached text counts, or else the
    subject; beside more these are told and not taken, and so is what a subject of his own orders
    beside other orders.
    """
    readings = [read_mail(text, context) for text in incoming.texts]
    at = next((n for n, one in enumerate(readings) if one.lines or one.commands), None)
    if at is not None:
        reading = readings[at]
        if incoming.two_forms and at == 0:
            reading = _agreed(reading, readings[1:], incoming, context)
        reading = _with_files(reading, [read_mail(one, context) for one in incoming.attached])
        return _with_subject(reading, incoming, context, slug)
    reading = max(readings, key=lambda one: (len(one.problems), len(one.cut)), default=_NOTHING)
    reading = _with_dropped(reading, read_quoted(incoming.dropped, context))
    return _from_file(reading, incoming, context) or _from_subject(reading, incoming, context, slug)


def _agreed(
    plain: Reading, formatted: Sequence[Reading], incoming: Incoming, context: Context
) -> Reading:
    """Return a plain text's reading without the lines that the HTML doesn't bear out."""
    said = _finals(line for one in formatted for line in one.lines)
    unclear = {hand for one in formatted for problem in one.problems for hand in problem.hands}
    unclear -= {hand for problem in plain.problems for hand in problem.hands}
    struck = _finals(read_mail(incoming.struck, context).lines)
    gone = {*struck, *_keys(read_quoted(incoming.dropped, context), context)}
    mine = _finals(plain.lines)
    wrong = {
        key: _refused(line, said.get(key), struck.get(key), context)
        for key, line in mine.items()
        if (
            _differs(line, said[key])
            if key in said
            else bool(said) or key in gone or context.hands.get(line.order.table) in unclear
        )
    }
    told = {problem.hand for problem in plain.problems}
    more = [
        _refused(line, line, None, context)
        for key, line in said.items()
        if key not in mine and context.hands.get(line.order.table, "") not in told
    ]
    if not (wrong or more):
        return plain
    return replace(
        plain,
        lines=tuple(line for line in plain.lines if _key(line) not in wrong),
        problems=tuple(
            sorted((*plain.problems, *wrong.values(), *more), key=lambda one: one.number)
        ),
    )


def _refused(line: Line, said: Line | None, struck: Line | None, context: Context) -> Problem:
    """Return the refusal of a line, with the forms of it that he may have meant to copy."""
    canonical = line.order.line()
    only_struck = said is None and struck is not None and not _differs(line, struck)
    fault = Fault.STRUCK_OUT if only_struck else Fault.TWO_FORMS
    examples = dict.fromkeys((canonical, said.order.line()) if said else (canonical,))
    hand = context.hands.get(line.order.table, "")
    return Problem(fault, examples=tuple(examples), hand=hand, line=line.text, number=line.number)


def _with_files(reading: Reading, files: Iterable[Reading]) -> Reading:
    """Return a reading with what attached texts order otherwise as lines that were left unread."""
    own = {line.order.line() for line in reading.lines}
    other = [(0, line.text) for one in files for line in one.lines if line.order.line() not in own]
    return replace(reading, told=(*reading.told, *other)) if other else reading


def _with_dropped(reading: Reading, dropped: Sequence[tuple[int, str]]) -> Reading:
    """Return a reading with what stands in the quotes of the HTML among what was cut."""
    known = {text.lstrip("> ") for _, text in reading.cut}
    more = [(number, text) for number, text in dropped if text.lstrip("> ") not in known]
    return replace(reading, cut=(*reading.cut, *more)) if more else reading


def _from_file(reading: Reading, incoming: Incoming, context: Context) -> Reading | None:
    """Return what the attached texts come to, None where they order nothing."""
    files = [read_mail(one, context) for one in incoming.attached]
    ordering = [one for one in files if one.lines or one.problems]
    if not any(one.lines for one in ordering):
        return None
    if len(ordering) == 1 and reading.prose <= MOST_BESIDE and not reading.problems:
        return ordering[0]
    return _told(reading, Fault.ATTACHED, [line for one in ordering for line in one.lines], context)


def _from_subject(reading: Reading, incoming: Incoming, context: Context, slug: str) -> Reading:
    """Return what the subject orders where the text orders nothing, else the text's reading."""
    found = read_subject(incoming.subject, context, slug)
    if found.nothing:
        return reading
    if reading.problems:
        return _with_subject(reading, incoming, context, slug)
    answers = is_answer(incoming.subject, context)
    if reading.prose <= (0 if answers else MOST_BESIDE_SUBJECT):
        return found
    # An answer's subject is an older mail's: what that ordered is nothing to tell.
    return reading if answers else _told(reading, Fault.IN_SUBJECT, found.lines, context)


def _with_subject(reading: Reading, incoming: Incoming, context: Context, slug: str) -> Reading:
    """Return a reading with what the player's own subject orders otherwise as problems."""
    if is_answer(incoming.subject, context):
        return reading
    found = read_subject(incoming.subject, context, slug)
    own = {line.order.line() for line in reading.lines}
    other = [line for line in found.lines if line.order.line() not in own]
    told = _told(reading, Fault.IN_SUBJECT, other, context)
    return replace(told, problems=(*found.problems, *told.problems))


def _told(reading: Reading, fault: Fault, lines: Iterable[Line], context: Context) -> Reading:
    """Return a reading with lines from elsewhere as problems."""
    more = [
        Problem(
            fault,
            examples=(line.order.line(),),
            hand=context.hands.get(line.order.table, ""),
            line=line.text,
        )
        for line in lines
    ]
    return replace(reading, problems=(*more, *reading.problems))


def _finals(lines: Iterable[Line]) -> _Finals:
    return {_key(line): line for line in lines}


def _keys(cut: Iterable[tuple[int, str]], context: Context) -> set[tuple[str, type]]:
    found = (read_mail(text.lstrip("> "), context).lines for _, text in cut)
    return {_key(line) for lines in found for line in lines}


def _key(line: Line) -> tuple[str, type]:
    return line.order.table, type(line.order)


def _differs(one: Line, other: Line) -> bool:
    return one.order.line() != other.order.line()

"""A robot's eyes: what a mailed report or receipt says, read from its plain text alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default
from email.utils import parseaddr, parsedate_to_datetime

from postal.engine.cards import Card, parse_cards
from postal.service.deciding.position import Asked, DueKind, Held

_MARK = ":: "
_HAND = re.compile(r"(?:[A-Z][a-z]+ )?[Hh]and (?P<hand>[A-Z]\d+)\b")
_NEIGHBOUR = re.compile(r"cards? for (?P<name>.+?) \((?P<way>next|previous)\)")
_AHEAD = re.compile(r"is £(?P<sum>[\d,]+) ahead")
_RAISE = re.compile(r"[Aa] raise adds from £(?P<least>[\d,]+) to £(?P<most>[\d,]+)")
_MINE = re.compile(r"has (?P<minus>-?)£(?P<sum>[\d,]+) \(you\)")
_PAID = re.compile(r"Paid so far: you £(?P<sum>[\d,]+)")
_TURN = re.compile(r"\bturn (\d+)")
_SEATS = {"next": 1, "previous": -1}


@dataclass(frozen=True, slots=True)
class Letterhead:
    """What any mail of the league says about itself; addresses are bare."""

    subject: str = field(repr=False)
    sender_name: str
    answer_to: str = field(repr=False)
    recipient: str
    message_id: str = field(repr=False)
    answers: str = field(repr=False)
    references: str = field(repr=False)
    date: datetime
    text: str = field(repr=False)
    html: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Report:
    """A report: the turn that orders are due for, what is asked, his hands and his money."""

    head: Letterhead
    turn: int
    asked: tuple[Asked, ...]
    hands: Mapping[str, Held]
    cash: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """A receipt: whether something was not taken, and the line on file for each hand."""

    head: Letterhead
    refused: bool
    on_file: Mapping[str, str] = field(repr=False)


def read_letter(raw: bytes) -> Report | Receipt | None:
    """Return what a mail of the league is; None for what needs no answer (help, hints, the end)."""
    message = BytesParser(policy=default).parsebytes(raw)
    assert isinstance(message, EmailMessage), "the policy makes this class"
    head = _letterhead(message)
    parts = sections(head.text)
    if message["Auto-Submitted"] == "auto-generated" and "WHAT TO ORDER NOW" in parts:
        return _report(head, parts)
    if "ON FILE" in parts:
        return Receipt(head, "NOT TAKEN" in parts, _on_file(parts["ON FILE"]))
    return None


def sections(text: str) -> dict[str, list[str]]:
    """Return the paragraphs below each heading, a line in capitals; "" is above the first."""
    found: dict[str, list[list[str]]] = {"": [[]]}
    heading = ""
    for line in text.splitlines():
        if line.isupper() and line[0].isalpha() and not any(char.isdigit() for char in line):
            heading = line
            found[heading] = [[]]
        elif line.strip():
            found[heading][-1].append(line)
        else:
            found[heading].append([])
    return {name: ["\n".join(one) for one in many if one] for name, many in found.items()}


def _letterhead(message: EmailMessage) -> Letterhead:
    plain = message.get_body(("plain",))
    html = message.get_body(("html",))
    return Letterhead(
        subject=str(message["Subject"] or ""),
        sender_name=parseaddr(str(message["From"] or ""))[0],
        answer_to=parseaddr(str(message["Reply-To"] or message["From"] or ""))[1],
        recipient=parseaddr(str(message["To"] or ""))[1],
        message_id=str(message["Message-ID"] or ""),
        answers=str(message["In-Reply-To"] or ""),
        references=str(message["References"] or ""),
        date=parsedate_to_datetime(str(message["Date"])),
        text=_plain(plain.get_content()) if plain else "",
        html=html.get_content() if html else "",
    )


def _report(head: Letterhead, parts: Mapping[str, list[str]]) -> Report:
    first = " ".join(parts[""])
    turn = _TURN.search(first)
    welcome = first.startswith("Welcome")
    money = _MINE.search(" ".join(parts.get("MONEY", ())))
    cash = _pounds(money["sum"]) * (-1 if money["minus"] else 1) if money else 0
    number = int(turn[1]) if turn else 0
    return Report(
        head=head,
        turn=number if welcome else number + 1,
        asked=tuple(_asked(parts["WHAT TO ORDER NOW"])),
        hands=dict(_held(parts.get("YOUR HANDS AND CARDS", ()))),
        cash=cash,
    )


def _asked(paragraphs: list[str]) -> Iterable[Asked]:
    for hand, said, lines in _by_hand(paragraphs):
        yield _one_asked(hand, hand[0], said, tuple(lines))


def _by_hand(paragraphs: list[str]) -> Iterable[tuple[str, str, list[str]]]:
    """Return each hand with what is said of it and the marked lines below, if there are any."""
    hand, said = "", ""
    lines: list[str] = []
    for paragraph in [*paragraphs, ""]:
        if paragraph.startswith(_MARK):
            lines += [line.removeprefix(_MARK) for line in paragraph.splitlines()]
            continue
        if hand and lines:
            yield hand, said, lines
        found = _HAND.match(paragraph)
        hand, said, lines = found["hand"] if found else "", " ".join(paragraph.split()), []


def _one_asked(hand: str, table: str, said: str, lines: tuple[str, ...]) -> Asked:
    verb = lines[0].split()[1]
    kinds: dict[str, DueKind] = {"give": "give", "keep": "keep", "expose": "expose"}
    ahead, limits = _AHEAD.search(said), _RAISE.search(said)
    return Asked(
        hand=hand,
        table=table,
        kind=kinds.get(verb, "bet"),
        examples=lines,
        neighbours={_SEATS[one["way"]]: one["name"] for one in _NEIGHBOUR.finditer(said)},
        owed=_pounds(ahead["sum"]) if ahead else 0,
        least=_pounds(limits["least"]) if limits else 0,
        most=_pounds(limits["most"]) if limits else 0,
    )


def _held(paragraphs: Iterable[str]) -> Iterable[tuple[str, Held]]:
    for paragraph in paragraphs:
        hand = _HAND.match(paragraph)
        if not hand:
            continue
        paid = _PAID.search(paragraph)
        yield (
            hand["hand"],
            Held(
                hidden=_cards(paragraph, r"Your hidden cards: (.*)"),
                shown=_cards(paragraph, r"Your cards face up: (.*)"),
                against=_cards(paragraph, r"Face up against you: .* has (.*)"),
                paid=_pounds(paid["sum"]) if paid else 0,
            ),
        )


def _cards(paragraph: str, pattern: str) -> tuple[Card, ...]:
    found = re.search(pattern, paragraph)
    return parse_cards(found[1]) if found else ()


def _on_file(paragraphs: list[str]) -> dict[str, str]:
    return {hand: " ".join(lines) for hand, _, lines in _by_hand(paragraphs)}


def _plain(text: str) -> str:
    """Return text with line ends and spaces of one kind."""
    return text.replace("\r\n", "\n").replace("\u00a0", " ").replace("\u2060", "")


def _pounds(text: str) -> int:
    return int(text.replace(",", ""))

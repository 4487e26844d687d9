"""Makes people with addresses of the players of games and their second addresses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

OldRow = Mapping[str, Any]
NewRow = dict[str, Any]


@dataclass
class Register:
    """The new rows, and which of them each old row became, by the old rows' ids."""

    people: list[NewRow] = field(default_factory=list)
    addresses: list[NewRow] = field(default_factory=list)
    person_of: dict[int, int] = field(default_factory=dict)
    address_of: dict[int, int] = field(default_factory=dict)


def gathered(players: Iterable[OldRow], seconds: Iterable[OldRow]) -> Register:
    """Return the register of ``players``, each with its game's ``created_at``, by rising ids.

    One name at one registered address, both folded, is one person, whatever the games; all
    else stays apart. ``seconds`` are the second addresses, whose ids stay those of the new rows:
    the tokens that confirm them are reckoned from these.
    """
    register = Register()
    known: dict[tuple[str, str], NewRow] = {}
    registered: list[NewRow] = []
    for player in players:
        key = (player["name_key"], player["address_key"])
        if key not in known:
            person = known[key] = _person(len(known) + 1, player)
            register.people.append(person)
            registered.append(_registered(person, player))
        register.person_of[player["id"]] = known[key]["id"]
    rows: dict[tuple[int, str], NewRow] = {}
    for second in seconds:
        row = _second(register.person_of[second["player_id"]], second)
        row = _merged(rows.setdefault(_key(row), row), second)
        register.address_of[second["id"]] = row["id"]
    behind = max(register.address_of, default=0)
    for row in registered:
        behind += 1
        # The registered address wins over a second one; the row keeps its id.
        kept = rows.setdefault(_key(row), {**row, "id": behind})
        kept.update({name: value for name, value in row.items() if name != "id"})
    register.addresses = sorted(rows.values(), key=lambda row: int(row["id"]))
    return register


def _key(address: NewRow) -> tuple[int, str]:
    return address["person_id"], address["address_key"]


def _person(number: int, player: OldRow) -> NewRow:
    return {
        "id": number,
        "name": player["name"],
        "name_key": player["name_key"],
        "zone": None,
        "language": None,
        "text_only": False,
        "created_at": player["created_at"],
    }


def _registered(person: NewRow, player: OldRow) -> NewRow:
    return {
        "person_id": person["id"],
        "address": player["address"],
        "address_key": player["address_key"],
        "asked_at": player["created_at"],
        "confirmed_at": player["created_at"],
        "reports": True,
    }


def _second(person_id: int, second: OldRow) -> NewRow:
    return {
        "id": second["id"],
        "person_id": person_id,
        "address": second["address"],
        "address_key": second["address_key"],
        "asked_at": second["asked_at"],
        "confirmed_at": second["confirmed_at"],
        "reports": False,
    }


def _merged(row: NewRow, second: OldRow) -> NewRow:
    """Take over when another row of the address, from another game, was asked for and confirmed."""
    row["asked_at"] = min(row["asked_at"], second["asked_at"])
    confirmed = [when for when in (row["confirmed_at"], second["confirmed_at"]) if when]
    row["confirmed_at"] = min(confirmed, default=None)
    return row

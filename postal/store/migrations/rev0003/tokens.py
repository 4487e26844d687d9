"""Reckons every token that was given out, as the program did while it stored none."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_BYTES = 10  # 80 bits


def seat_tokens(
    key: bytes, players: Iterable[Mapping[str, Any]], last_turns: Mapping[int, int]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of the players' tokens, for the deal and on to the turn after the last.

    Each player comes with his game's ``slug``, ``deal`` and ``created_at``; ``last_turns`` holds
    the number of the last turn by the game's id.
    """
    for player in players:
        serial = player["token_serial"]
        name = f"{player['name']}#{serial}" if serial else player["name"]
        for turn in range(last_turns.get(player["game_id"], 0) + 2):
            yield {
                "digest": _digest(key, player["slug"], player["deal"], turn, name),
                "kind": "orders",
                "seat_id": player["id"],
                "turn": turn,
                "address_id": None,
                "issued_at": player["created_at"],
            }


def address_tokens(
    key: bytes, seconds: Iterable[Mapping[str, Any]], address_of: Mapping[int, int]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of the tokens that confirm those second addresses that still wait for it.

    Each address comes with the ``slug`` and ``deal`` of the game it was asked for in.
    """
    for second in seconds:
        if second["confirmed_at"] is None:
            label = f"#address {second['id']}"
            yield {
                "digest": _digest(key, second["slug"], second["deal"], -1, label),
                "kind": "address",
                "seat_id": None,
                "turn": None,
                "address_id": address_of[second["id"]],
                "issued_at": second["asked_at"],
            }


def _digest(key: bytes, slug: str, deal: int, turn: int, name: str) -> str:
    label = json.dumps(["postal-token/1", slug, deal, turn, name], ensure_ascii=True)
    made = hmac.new(key, label.encode("ascii"), hashlib.sha256).digest()
    token = base64.b32encode(made[:_BYTES]).lower()
    return hashlib.sha256(token).hexdigest()

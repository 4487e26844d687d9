"""The engine's values as JSON text and back: state, orders on file and events of a turn."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from cattrs.gen import make_dict_unstructure_fn, override
from cattrs.preconf.json import make_converter
from cattrs.strategies import configure_tagged_union, include_subclasses

from postal.engine.book import Book
from postal.engine.cards import Card
from postal.engine.events import Event
from postal.engine.orders import Order
from postal.engine.rules import Rules
from postal.engine.state import Game, Hand, Seat, Table

NAME_FIELDS = frozenset(
    {
        "audience", "balances", "dropped", "dropped_in", "heard", "missed", "player", "players",
        "receiver", "resigned", "standings", "to", "winners",
    }
)  # fmt: skip
"""The fields of states, orders and events in which all texts are players' names."""

PAIR_FIELDS = frozenset({"fixed"})
"""Those of pairs, each of a player's name and a hand."""

_CONVERTER = make_converter()
_CONVERTER.register_unstructure_hook(Card, str)
_CONVERTER.register_structure_hook(Card, lambda text, _: Card.parse(text))
configure_tagged_union(Order, _CONVERTER, tag_name="order")
include_subclasses(
    Event, _CONVERTER, union_strategy=partial(configure_tagged_union, tag_name="event")
)
# What may change is no evidence of what was used; few cards are seen in turns taken back.
_CONVERTER.register_unstructure_hook(
    Book, make_dict_unstructure_fn(Book, _CONVERTER, fixed=override(omit=True))
)
_CONVERTER.register_unstructure_hook(
    Seat, make_dict_unstructure_fn(Seat, _CONVERTER, seen=override(omit_if_default=True))
)


def encode_game(game: Game) -> str:
    """Return a game's state as JSON text; its rules stand in the game's own row."""
    fields = {name: getattr(game, name) for name in vars(game) if name != "rules"}
    return _text({name: _CONVERTER.unstructure(value) for name, value in fields.items()})


def decode_game(text: str, rules: Rules) -> Game:
    """Return the game of a state as JSON text, under the rules that it began with."""
    fields = json.loads(text)
    return Game(
        rules=rules,
        players=tuple(fields["players"]),
        tables=_CONVERTER.structure(fields["tables"], tuple[Table, ...]),
        hands=_CONVERTER.structure(fields["hands"], tuple[Hand, ...]),
        balances=fields["balances"],
        turn=fields["turn"],
        deal=fields["deal"],
        missed=fields["missed"],
        dropped=tuple(fields["dropped"]),
        # States of games that began under the first edition were stored without it.
        dropped_in=fields.get("dropped_in", {}),
    )


def encode_book(book: Book) -> str:
    """Return the orders of a turn as JSON text, in the order of acceptance."""
    return _text(_CONVERTER.unstructure(book))


def decode_book(text: str) -> Book:
    """Return the orders of a turn from JSON text."""
    return _CONVERTER.structure(json.loads(text), Book)


def encode_order(order: Order) -> str:
    """Return one order as JSON text."""
    return _text(_CONVERTER.unstructure(order, unstructure_as=Order))


def decode_order(text: str) -> Order:
    """Return one order from JSON text."""
    order: Order = _CONVERTER.structure(json.loads(text), Order)  # type: ignore[arg-type]  # a union is a type form that cattrs takes
    return order


def encode_events(events: tuple[Event, ...]) -> str:
    """Return the events of a turn as JSON text."""
    return _text(_CONVERTER.unstructure(events, unstructure_as=tuple[Event, ...]))


def decode_events(text: str) -> tuple[Event, ...]:
    """Return the events of a turn from JSON text."""
    return _CONVERTER.structure(json.loads(text), tuple[Event, ...])


def with_names(text: str, names: Mapping[str, str]) -> str:
    """Return the JSON text of a state, of orders or of events with players' names replaced.

    ``names`` maps old names to new ones. Only what is a player's name there is replaced, never a
    word that happens to be the same.
    """
    return _text(_renamed(json.loads(text), names, is_name=False))


def _renamed(value: Any, names: Mapping[str, str], *, is_name: bool) -> Any:  # noqa: ANN401 - whatever JSON can hold
    if isinstance(value, dict):
        return {
            names.get(key, key) if is_name else key: _renamed(
                one, names, is_name=is_name or key in NAME_FIELDS
            )
            if key not in PAIR_FIELDS
            else [[names.get(player, player), hand] for player, hand in one]
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [_renamed(one, names, is_name=is_name) for one in value]
    return names.get(value, value) if is_name and isinstance(value, str) else value


def _text(value: Any) -> str:  # noqa: ANN401 - whatever JSON can hold
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)

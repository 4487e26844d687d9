"""What a phrase for a problem is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrase:
    """The words for one fault, with the figures that they name in braces.

    ``said`` says what is wrong. ``lead`` comes before the examples where there are some, without
    a colon; ``advice`` stands where there are none. ``of_hand``: the sentence is about an order
    for a hand, so that by itself it is put behind the hand's name and begins in lower case.
    """

    said: str
    lead: str = ""
    advice: str = ""
    of_hand: bool = False

"""The Jinja environment of the mails: sandboxed, strict, the GM's own templates first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup, escape

from postal.engine.words import MARKER
from postal.reports.display import Cards, Sentence, counted, listed, pounds
from postal.reports.mistakes import Mistakes, TooLongError
from postal.reports.wrapping import MOST_TOGETHER

HTML_ENDING = ".html.j2"
TEXT_ENDING = ".txt.j2"
LONGEST = 1_000_000
"""The most characters that a template of the GM's may make: far more than any mail of a game."""
_RED = "#b3001b"


class TemplateMistakeError(Exception):
    """A template can't be used: the sentence names the file, the line and what is wrong.

    Raised for a packed template, it is a bug: the GM's own are replaced by the packed ones.
    """


class Templates:
    """Templates of some folders, the first that holds a name wins."""

    def __init__(self, folders: Sequence[Path], longest: int | None = None) -> None:
        """Take the folders in which to look, the GM's own first; one need not exist.

        ``longest`` is the most characters that one may make, None where there is no limit.
        """
        self._mistakes, self._longest = Mistakes(folders), longest
        self._environment = ImmutableSandboxedEnvironment(
            loader=jinja2.FileSystemLoader([str(folder) for folder in folders]),
            undefined=jinja2.StrictUndefined,
            autoescape=lambda name: bool(name and name.endswith(HTML_ENDING)),
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters |= {
            "pounds": pounds,
            "counted": counted,
            "listed": listed,
            "cards": _cards_text,
            "words": _words,
            "chips": _chips,
            "rich": _rich,
        }
        self._environment.globals |= {"marker": MARKER}

    def render(
        self, name: str, values: Mapping[str, Any], finish: Callable[[str], str] = str
    ) -> str:
        """Return a template filled in and laid out by ``finish``.

        Raises TemplateMistakeError whatever it is that fails.
        """
        try:
            made = finish(self._filled_in(self._environment.get_template(name), values))
            made.encode()
        except Exception as error:  # noqa: BLE001 - a template can raise anything
            # What the error holds stays out of the sentence and the chain: it could be a card.
            raise TemplateMistakeError(self._mistakes.told(name, error)) from None
        return made

    def mistakes(self) -> tuple[str, ...]:
        """Return a sentence for each template, of any folder, that can't be compiled."""
        found: list[str] = []
        for name in self._environment.list_templates(extensions=["j2"]):
            try:
                self._environment.get_template(name)
            except Exception as error:  # noqa: BLE001 - as above: a file can be anything
                found.append(self._mistakes.told(name, error))
        return tuple(found)

    def _filled_in(self, template: jinja2.Template, values: Mapping[str, Any]) -> str:
        pieces: list[str] = []
        size = 0
        for piece in template.generate(values):
            pieces.append(piece)
            size += len(piece)
            if self._longest is not None and size > self._longest:
                raise TooLongError
        return "".join(pieces)


def _cards_text(cards: Cards) -> str:
    return " ".join(card.text for card in cards)


def _words(sentence: Sentence) -> str:
    return "".join(part if isinstance(part, str) else _cards_text(part) for part in sentence)


def _chips(cards: Cards) -> Markup:
    """Return cards for HTML as symbols, red suits in red, never broken inside a card or a few."""
    gap = Markup(" ") if len(cards) > MOST_TOGETHER else Markup("&nbsp;")
    return gap.join(
        Markup('<b style="color:{}">{}</b>').format(_RED, card.symbol)
        if card.red
        else Markup("<b>{}</b>").format(card.symbol)
        for card in cards
    )


def _rich(sentence: Sentence) -> Markup:
    parts = (escape(part) if isinstance(part, str) else _chips(part) for part in sentence)
    return Markup("").join(parts)

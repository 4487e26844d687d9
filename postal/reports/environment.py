"""The Jinja environment of the mails: sandboxed, strict, the GM's own templates first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup, escape

from postal.engine.words import MARKER
from postal.errors import PostalError
from postal.reports.display import Cards, Sentence, counted, listed, pounds
from postal.reports.mistakes import Mistakes, source_mistake
from postal.reports.wrapping import MOST_TOGETHER

HTML_ENDING = ".html.j2"
TEXT_ENDING = ".txt.j2"
_RED = "#b3001b"


class TemplateMistakeError(PostalError):
    """A template can't be used: the sentence names the file, the line and what is wrong."""


class Templates:
    """Templates of some folders, the first that holds a name wins."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Take the folders in which to look, the GM's own first; one need not exist."""
        self._mistakes = Mistakes(folders)
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

    def render(self, name: str, values: Mapping[str, Any]) -> str:
        """Return a template filled in; TemplateMistakeError where it has a mistake."""
        try:
            template = self._environment.get_template(name)
        except jinja2.TemplateNotFound:
            raise TemplateMistakeError(f"there is no template {name}.") from None
        except jinja2.TemplateSyntaxError as error:
            raise TemplateMistakeError(source_mistake(error)) from None
        try:
            return template.render(values)
        except Exception as error:
            # A template can raise anything, such as a TypeError; what it holds stays out of the
            # sentence and the chain, since it could be a card.
            sentence = self._mistakes.told(name, error)
            if sentence is None:
                raise
            raise TemplateMistakeError(sentence) from None

    def mistakes(self) -> tuple[str, ...]:
        """Return a sentence for each template, of any folder, that can't be compiled."""
        found: list[str] = []
        for name in self._environment.list_templates(extensions=["j2"]):
            try:
                self._environment.get_template(name)
            except jinja2.TemplateSyntaxError as error:
                found.append(source_mistake(error))
        return tuple(found)


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

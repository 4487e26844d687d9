"""A mail's two bodies: from the GM's own templates, or where one fails from the packed alone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import css_inline

from postal.reports.environment import (
    HTML_ENDING,
    LONGEST,
    TEXT_ENDING,
    TemplateMistakeError,
    Templates,
)
from postal.reports.wrapping import glue_html, lay_out


@dataclass(frozen=True, slots=True)
class Bodies:
    """A mail's text and HTML, and what was wrong with templates that were to make them."""

    text: str = field(repr=False)
    html: str = field(repr=False)
    mistakes: tuple[str, ...] = ()


class Layout:
    """Makes bodies from the templates of some folders."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Take the folders, the GM's own first and the packed one last."""
        self._packed = Templates(folders[-1:])
        self._own = Templates(folders, LONGEST) if len(folders) > 1 else None
        self._folder = folders[0] if len(folders) > 1 else None
        self._inliner = css_inline.CSSInliner(load_remote_stylesheets=False)

    def mistakes(self) -> tuple[str, ...]:
        """Return a sentence for each template that can't be compiled; none where all are well."""
        return (self._own or self._packed).mistakes()

    def own_state(self) -> str:
        """Return what changes whenever one of the GM's own templates does."""
        digest = hashlib.sha256()
        for file in sorted(self._folder.rglob("*.j2")) if self._folder else ():
            with suppress(OSError):
                digest.update(f"{file}\0".encode(errors="surrogateescape") + file.read_bytes())
        return digest.hexdigest()

    def bodies(self, name: str, values: Mapping[str, Any], names: Sequence[str]) -> Bodies:
        """Return both bodies of the mail of that name, in which ``names`` are never broken.

        Where the GM's own templates fail for either, both are made from the packed ones, so that
        they never contradict each other. TemplateMistakeError where those fail: a bug.
        """
        mistakes: list[str] = []
        if self._own is not None:
            made: list[str] = []
            for body in (self._text, self._html):
                try:
                    made.append(body(self._own, name, values, names))
                except TemplateMistakeError as error:
                    mistakes.append(str(error))
            if not mistakes:
                text, html = made
                return Bodies(text, html)
        text = self._text(self._packed, name, values, names)
        html = self._html(self._packed, name, values, names)
        return Bodies(text, html, tuple(dict.fromkeys(mistakes)))

    def _text(
        self, templates: Templates, name: str, values: Mapping[str, Any], names: Sequence[str]
    ) -> str:
        return templates.render(name + TEXT_ENDING, values, lambda text: lay_out(text, names))

    def _html(
        self, templates: Templates, name: str, values: Mapping[str, Any], names: Sequence[str]
    ) -> str:
        return templates.render(
            name + HTML_ENDING, values, lambda html: glue_html(self._inliner.inline(html), names)
        )

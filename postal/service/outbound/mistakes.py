"""Mistakes in the GM's own templates, as sentences and as troubles that last."""

from __future__ import annotations

import hashlib

from postal.service.workplace import Workplace
from postal.store.rows import TroubleKind, TroubleRow


def template_sentence(mistake: str) -> str:
    """Return what the GM is told of a mistake in one of his templates."""
    return f"Your own template can't be used: {mistake}."


def template_trouble(work: Workplace, sentence: str) -> TroubleRow:
    """Return the trouble that a mistake is in the GM's own templates as they are now."""
    key = hashlib.sha256(f"{work.reports.own_state()} {sentence}".encode()).hexdigest()
    now = work.clock.now()
    return TroubleRow(kind=TroubleKind.TEMPLATE, about=key, since=now, sentence=sentence)

"""Looks whether templates that failed were put right, so that the GM learns that it is over."""

from __future__ import annotations

from postal.reports.samples import sample_mistakes
from postal.service.outbound.letters import template_sentence, template_trouble
from postal.service.outbound.troubles import end_trouble
from postal.service.workplace import Workplace
from postal.store.rows import TroubleKind
from postal.store.troubles import open_troubles


class TemplateReview:
    """Ends the trouble with a template once its file was changed and the mistake is gone."""

    def __init__(self, work: Workplace) -> None:
        """Take the workplace, whose reports are made from the templates."""
        self._work = work
        self._tried = ""

    def __call__(self) -> None:
        """Look at what fails, if anything does and the GM has changed a template since."""
        work = self._work
        with work.database.reading() as session:
            rows = [row for row in open_troubles(session) if row.kind is TroubleKind.TEMPLATE]
        changed = [row for row in rows if row.about != template_trouble(work, row.sentence).about]
        state = work.reports.own_state() if changed else ""
        if not changed or state == self._tried:
            return
        # Trying them all out takes a moment: once after each change is enough.
        self._tried = state
        left = {template_sentence(mistake) for mistake in sample_mistakes(work.reports)}
        for row in changed:
            if row.sentence not in left:
                end_trouble(work, TroubleKind.TEMPLATE, row.about)

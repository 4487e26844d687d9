"""Looks whether templates that failed were put right, so that the GM learns that it is over."""

from __future__ import annotations

from postal.reports.samples import sample_mistakes
from postal.service.outbound.mistakes import template_sentence, template_trouble
from postal.service.outbound.troubles import end_trouble
from postal.service.workplace import Workplace
from postal.store.rows import TroubleKind
from postal.store.troubles import open_troubles


class TemplateReview:
    """Ends the trouble with a template once its file was changed and the mistake is gone."""

    def __init__(self, work: Workplace) -> None:
        """Take the workplace, whose reports are made from the templates."""
        self._work = work
        self._seen = ""

    def __call__(self) -> None:
        """Look at what fails, if the GM has changed a template since the last look."""
        work, state = self._work, self._work.reports.own_state()
        if state == self._seen:
            return
        with work.database.reading() as session:
            rows = [row for row in open_troubles(session) if row.kind is TroubleKind.TEMPLATE]
        changed = [row for row in rows if row.about != template_trouble(work, row.sentence).about]
        # Trying all templates out takes a moment, so it is only done where one failed.
        mistakes = sample_mistakes(work.reports) if changed else ()
        left = {template_sentence(mistake) for mistake in mistakes}
        for row in changed:
            if row.sentence not in left:
                end_trouble(work, TroubleKind.TEMPLATE, row.about)
        self._seen = state

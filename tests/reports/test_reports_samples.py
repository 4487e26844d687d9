"""The samples fill in every template in every place, so that `postal check` misses no mistake."""

import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from postal.mail.html import html_to_text
from postal.reports import Rendered, Reports
from postal.reports.samples import sample_mails, sample_mistakes
from postal.resources import templates_folder

GLUED = re.compile(r"[\w)\"'][.,:;!?][A-Z]\w*")
PRINTS = re.compile(r"\{\{")


def test_the_packed_templates_are_all_well() -> None:
    """With and without a folder of the GM's own."""
    assert sample_mistakes(Reports([templates_folder()])) == ()
    assert sample_mistakes(Reports([Path("nowhere"), templates_folder()])) == ()


def test_no_sentence_runs_into_the_next() -> None:
    """In text and HTML: what ends one is followed by a space, but within sums, times and names."""
    for mail in sample_mails(Reports([templates_folder()])):
        for form in (mail.text, html_to_text(mail.html)):
            assert not GLUED.findall(form), mail.subject


def test_glued_sentences_would_be_found() -> None:
    """Else the test above would show nothing."""
    assert GLUED.findall("hands A1 and B1 have none.The deadline is near.")
    assert GLUED.findall("Is it so?Yes") == ["o?Yes"]
    assert not GLUED.findall("Dr. No at gm@example.org has £1,000. At 20:00.")


def test_every_kind_of_mail_has_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new method of Reports needs one."""
    kinds = {
        name
        for name, method in inspect.getmembers(Reports, inspect.isfunction)
        if not name.startswith("_") and inspect.signature(method).return_annotation == "Rendered"
    }
    seen: set[str] = set()
    for kind in kinds:
        monkeypatch.setattr(Reports, kind, noted(kind, seen))
    list(sample_mails(Reports([templates_folder()])))
    assert "report" in kinds
    assert seen == kinds


def noted(kind: str, seen: set[str]) -> Callable[..., Rendered]:
    """Return a method of Reports that notes that it was called."""
    real: Callable[..., Rendered] = getattr(Reports, kind)

    def method(self: Reports, *given: object, **named: object) -> Rendered:
        seen.add(kind)
        return real(self, *given, **named)

    return method


def test_the_samples_reach_whatever_the_templates_print(tmp_path: Path) -> None:
    """Every value in every branch: a mistake there is found before a player's mail meets it."""
    places: list[str] = []
    for file in sorted(templates_folder().glob("*.j2")):
        text = file.read_text("utf-8")
        marks = [f"@{file.name}@{match.start()}@" for match in PRINTS.finditer(text)]
        pieces = PRINTS.split(text)
        marked = "".join(
            f"{{{{ '{mark}' }}}}{{{{{piece}" for mark, piece in zip(marks, pieces[1:], strict=True)
        )
        (tmp_path / file.name).write_text(pieces[0] + marked, "utf-8")
        places += marks
    made = list(sample_mails(Reports([tmp_path, templates_folder()])))
    assert {mistake for mail in made for mistake in mail.mistakes} == set()
    printed = "".join(mail.text + mail.html for mail in made)
    assert len(places) > 400
    assert [place for place in places if place not in printed] == []


RUN_TOGETHER = re.compile(r"(?:[a-z0-9)\"”][.!?]|[.:!?][)\"”])[A-Z“\"(]|[,;:][A-Za-z]")
"""A sentence that begins right behind the one before, or a mark without its space."""

NOT_PROSE = re.compile(r"mailto:\S+|\S+@\S+|\b[A-Z]\.(?=[A-Z]\b)")


def test_no_sentences_run_together() -> None:
    """In no kind of mail, in text nor in HTML."""
    for mail in sample_mails(Reports([templates_folder()])):
        shown = html_to_text(mail.html)
        for text in (mail.text, shown):
            found = [RUN_TOGETHER.search(NOT_PROSE.sub("", line)) for line in text.splitlines()]
            assert [one.string for one in found if one] == [], mail.subject


@pytest.mark.parametrize("name", ["_base.html.j2", "_rules.j2", "gm_notice.html.j2", "held.txt.j2"])
def test_a_mistake_in_any_template_is_found_once(tmp_path: Path, name: str) -> None:
    """However many mails it would spoil."""
    (tmp_path / name).write_text("one\n{% if %}", "utf-8")
    found = sample_mistakes(Reports([tmp_path, templates_folder()]))
    assert found == (
        f"{tmp_path}/{name}, line 2: Expected an expression, got 'end of statement block'",
    )


def test_all_mistakes_are_told(tmp_path: Path) -> None:
    """Those of text and HTML, of what can't be compiled and of what one kind of mail meets."""
    (tmp_path / "report.txt.j2").write_text("{% if kind == 'final' %}{{ no }}{% endif %}", "utf-8")
    (tmp_path / "report.html.j2").write_text("{{ nay }}", "utf-8")
    (tmp_path / "mine.j2").write_text("{% never %}", "utf-8")
    found = sample_mistakes(Reports([tmp_path, templates_folder()]))
    assert [sentence.removeprefix(f"{tmp_path}/").partition(",")[0] for sentence in found] == [
        "mine.j2",
        "report.html.j2",
        "report.txt.j2",
    ]


def test_a_packed_template_that_fails_is_told_too(tmp_path: Path) -> None:
    """Somebody may have changed it in his checkout."""
    for file in templates_folder().glob("*.j2"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "late.txt.j2").write_text("{{ nobody }}", "utf-8")
    (told,) = sample_mistakes(Reports([tmp_path]))
    assert told.startswith(f"{tmp_path}/late.txt.j2, line 1: a name")

"""Templates: the GM's own come first, run in a sandbox, and tell their mistakes by line."""

from pathlib import Path

import pytest

from postal.engine.view import view
from postal.reports import Reports, TemplateMistakeError
from postal.resources import templates_folder
from tests.reports.playing import FRAME, deal


def with_own(folder: Path, text: str, name: str = "hint.txt.j2") -> Reports:
    """Return the mails of a GM who has a template of his own."""
    (folder / name).write_text(text, "utf-8")
    return Reports([folder, templates_folder()])


def test_the_gms_template_comes_first(tmp_path: Path) -> None:
    """His own hint is used, the HTML beside it stays as packed."""
    mail = with_own(tmp_path, "Hello from {{ frame.gm }}.").hint(FRAME)
    assert mail.text == "Hello from Grace.\n"
    assert "How to answer" in mail.html


def test_a_folder_of_his_own_need_not_exist(tmp_path: Path) -> None:
    """A GM who changes nothing has no folder."""
    assert Reports([tmp_path / "none", templates_folder()]).hint(FRAME).text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("one\n{{ frame.gmm }}", "line 2: .*has no attribute 'gmm'"),
        ("one\n\n{{ nobody }}", "line 3: 'nobody' is undefined"),
        ("{% if %}", "line 1: "),
        ("{{ ''.__class__.mro() }}", "line 1: .*unsafe"),
        ("{{ 1 / 0 }}", "line 1: fails with ZeroDivisionError"),
        ("{% include 'nowhere.j2' %}", "nowhere.j2"),
    ],
    ids=["field", "name", "syntax", "sandbox", "arithmetic", "include"],
)
def test_a_mistake_is_told_with_file_and_line(tmp_path: Path, text: str, says: str) -> None:
    """One clear error, without a value of the game in it."""
    mails = with_own(tmp_path, text)
    with pytest.raises(TemplateMistakeError, match=says):
        mails.hint(FRAME)


def test_a_mistake_holds_no_card(tmp_path: Path) -> None:
    """What a template was given stays out of the error and its chain."""
    mails = with_own(tmp_path, "{{ game.mine[0].me.hidden[0] + 1 }}", "status.txt.j2")
    seen = view(deal(), "Joe")
    with pytest.raises(TemplateMistakeError) as caught:
        mails.status(FRAME, seen)
    assert "status.txt.j2, line 1: fails with TypeError." in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_all_templates_can_be_checked_before_use(tmp_path: Path) -> None:
    """Each that can't be compiled is named, and the packed ones are well."""
    assert Reports([templates_folder()]).mistakes() == ()
    found = with_own(tmp_path, "{% for %}", "report.txt.j2").mistakes()
    assert len(found) == 1
    assert "report.txt.j2, line 1" in found[0]

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
        (
            "one\n{{ frame.gmm }}",
            r"line 2: a name, or a part of one, is undefined: {{ frame\.gmm }}$",
        ),
        ("one\n\n{{ nobody }}", "line 3: a name, or a part of one, is undefined: {{ nobody }}"),
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
    assert "status.txt.j2, line 1: fails with TypeError: {{ game.mine" in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{{ {}[VALUE] }}", "line 1: a name, or a part of one, is undefined: {{ {}[VALUE] }}"),
        ("{{ {}|attr(VALUE) }}", "line 1: a name, or a part of one, is undefined"),
        ("{{ ''|attr('__' ~ VALUE ~ '__') }}", "line 1: "),
        ("{% include VALUE %}", "line 1: includes a template that is not there: {% include VALUE"),
        ("{% extends VALUE %}", "line 1: includes a template that is not there"),
        ("{% import VALUE as x %}", "line 1: includes a template that is not there"),
        ("{% include [VALUE, VALUE] %}", "line 1: includes a template that is not there"),
        ("{{ [1]|map(VALUE)|list }}", "line 1: fails with TemplateRuntimeError"),
        ("{{ [1]|map(attribute=VALUE)|join }}", "line 1: a name, or a part of one, is undefined"),
        ("{{ ('{0[' ~ VALUE ~ ']}').format({}) }}", "line 1: "),
        ("{% include VALUE ~ '.fails.j2' %}", "line 1: a template that it includes fails"),
        ("{% include VALUE ~ '.broken.j2' %}", "line 1: a template that it includes fails"),
    ],
)
@pytest.mark.parametrize("value", ["game.mine[0].me.hidden[0].text", "frame.mailbox"])
def test_a_mistake_tells_no_value(tmp_path: Path, text: str, says: str, value: str) -> None:
    """Neither a card nor a token, be it a key, a filter's name or a template's."""
    seen = view(deal(), "Joe")
    alone = f"{{{{ {value} }}}}"
    secret = with_own(tmp_path, alone, "status.txt.j2").status(FRAME, seen).text.strip()
    (tmp_path / f"{secret}.fails.j2").write_text("{{ 1 / 0 }}", "utf-8")
    (tmp_path / f"{secret}.broken.j2").write_text("{% if %}", "utf-8")
    mails = with_own(tmp_path, text.replace("VALUE", value), "status.txt.j2")
    with pytest.raises(TemplateMistakeError) as caught:
        mails.status(FRAME, seen)
    told = str(caught.value).removeprefix(str(tmp_path))
    assert told.startswith("/status.txt.j2, line 1: ")
    assert says.replace("VALUE", value) in told
    assert secret not in told


def test_a_mistake_in_a_template_included_by_name_is_told_there(tmp_path: Path) -> None:
    """With its own file and line."""
    (tmp_path / "mine.j2").write_text("one\n{{ nobody }}", "utf-8")
    with pytest.raises(TemplateMistakeError, match=r"mine\.j2, line 2: .*: {{ nobody }}$"):
        with_own(tmp_path, "{% include 'mine.j2' %}").hint(FRAME)


def test_all_templates_can_be_checked_before_use(tmp_path: Path) -> None:
    """Each that can't be compiled is named, and the packed ones are well."""
    assert Reports([templates_folder()]).mistakes() == ()
    found = with_own(tmp_path, "{% for %}", "report.txt.j2").mistakes()
    assert len(found) == 1
    assert "report.txt.j2, line 1" in found[0]

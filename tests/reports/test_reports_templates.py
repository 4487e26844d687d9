"""Templates: the GM's own come first, run in a sandbox, and tell their mistakes by line."""

import os
import re
from pathlib import Path

import pytest

from postal.engine.view import view
from postal.reports import Reports, TemplateMistakeError
from postal.resources import templates_folder
from tests.reports.playing import FRAME, deal, reports


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
    (told,) = with_own(tmp_path, text).hint(FRAME).mistakes
    assert told.startswith(f"{tmp_path}/hint.txt.j2, line ")
    assert re.search(says, told)


def test_a_mistake_holds_no_card(tmp_path: Path) -> None:
    """What a template was given stays out of the error and its chain, be it a packed one."""
    (tmp_path / "status.txt.j2").write_text("{{ game.mine[0].me.hidden[0] + 1 }}", "utf-8")
    seen = view(deal(), "Joe")
    with pytest.raises(TemplateMistakeError) as caught:
        Reports([tmp_path]).status(FRAME, seen)
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
    mail = with_own(tmp_path, text.replace("VALUE", value), "status.txt.j2").status(FRAME, seen)
    (told,) = mail.mistakes
    told = told.removeprefix(str(tmp_path))
    assert told.startswith("/status.txt.j2, line 1: ")
    assert says.replace("VALUE", value) in told
    assert secret not in told


def test_a_mistake_in_a_template_included_by_name_is_told_there(tmp_path: Path) -> None:
    """With its own file and line."""
    (tmp_path / "mine.j2").write_text("one\n{{ nobody }}", "utf-8")
    (told,) = with_own(tmp_path, "{% include 'mine.j2' %}").hint(FRAME).mistakes
    assert re.search(r"mine\.j2, line 2: .*: {{ nobody }}$", told)


PACKED = reports().status(FRAME, view(deal(), "Joe"))
SELF = "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("status.txt.j2", "{{ nobody }}", "status.txt.j2, line 1: a name"),
        ("status.html.j2", "<p>{{ nobody }}</p>", "status.html.j2, line 1: a name"),
        ("_player.txt.j2", "{% block %}", "_player.txt.j2, line 1: "),
        ("_base.html.j2", "{{ frame.gm }}\n{{ 1 / 0 }}", "_base.html.j2, line 2: fails with Zero"),
        (
            "_parts.txt.j2",
            "",
            "/_parts.txt.j2: a name, or a part of one, is undefined, where postal",
        ),
        ("status.txt.j2", "{% include 'status.txt.j2' %}", "line 1: includes or calls itself"),
        ("status.txt.j2", "{% extends 'status.txt.j2' %}", "line 1: includes or calls itself"),
        ("status.html.j2", SELF, "line 1: includes or calls itself"),
        ("status.txt.j2", "{{ '\\ud800' }}", "status.txt.j2: makes half a character"),
        ("status.html.j2", "<p>{{ '\\ud800' }}</p>", "status.html.j2: makes half a character"),
        ("status.txt.j2", "{% for i in range(99999) %}{{ title }}{% endfor %}", "more text than"),
        ("status.txt.j2", "{% for i in range(999999) %}{% endfor %}", "line 1: fails with Overf"),
    ],
)
def test_where_one_fails_both_bodies_are_the_packed_ones(
    tmp_path: Path, name: str, text: str, says: str
) -> None:
    """Whatever is wrong with it and wherever: half of a changed pair could contradict the other."""
    (tmp_path / "status.html.j2").write_text("<p>Mine.</p>", "utf-8")
    mail = with_own(tmp_path, text, name).status(FRAME, view(deal(), "Joe"))
    if name.startswith("_") and name.endswith(".html.j2"):
        (tmp_path / "status.html.j2").unlink()
        mail = with_own(tmp_path, text, name).status(FRAME, view(deal(), "Joe"))
    assert (mail.subject, mail.text, mail.html) == (PACKED.subject, PACKED.text, PACKED.html)
    (told,) = mail.mistakes
    assert says in told


def test_a_template_that_is_no_text_is_replaced_too(tmp_path: Path) -> None:
    """Saved in Latin 1, say, itself or one that it includes; both mistakes are told."""
    (tmp_path / "hint.txt.j2").write_bytes("café".encode("latin-1"))
    mail = with_own(tmp_path, "{% include 'hint.txt.j2' %}", "hint.html.j2").hint(FRAME)
    assert mail.text == reports().hint(FRAME).text
    assert mail.mistakes == (
        f"{tmp_path}/hint.txt.j2: is not UTF-8 text",
        (
            f"{tmp_path}/hint.html.j2, line 1: includes a template that is not UTF-8 text: "
            "{% include 'hint.txt.j2' %}"
        ),
    )


def test_what_is_mended_is_used_again(tmp_path: Path) -> None:
    """Without a new start."""
    mails = with_own(tmp_path, "{{ nobody }}")
    assert mails.hint(FRAME).mistakes
    own = tmp_path / "hint.txt.j2"
    own.write_text("{{ frame.gm }} here.", "utf-8")
    os.utime(own, (1, 1))
    mail = mails.hint(FRAME)
    assert (mail.text, mail.mistakes) == ("Grace here.\n", ())


def test_all_templates_can_be_checked_before_use(tmp_path: Path) -> None:
    """Each that can't be compiled is named, and the packed ones are well."""
    assert Reports([templates_folder()]).mistakes() == ()
    found = with_own(tmp_path, "{% for %}", "report.txt.j2").mistakes()
    assert len(found) == 1
    assert "report.txt.j2, line 1" in found[0]

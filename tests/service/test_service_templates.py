"""Templates of the GM's own that fail: every mail goes out all the same, and he is told once."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from postal.reports import Reports, TemplateMistakeError
from postal.resources import templates_folder
from postal.service.ticks import Rounds
from postal.store.rows import MailStatus
from postal.store.troubles import open_troubles
from tests.service.service_league import HOUR, SLUG, League, open_league, text_of

NOT_WELL = re.compile(r"WHAT IS NOT WELL\n\n(?:  .*\n)+\n*")
FAILS = "postal: one of your templates fails"
PARTS = (templates_folder() / "_parts.txt.j2").read_text("utf-8")
BROKEN = {
    "an undefined name": {"report.txt.j2": "{{ nothing_of_that_name }}"},
    "a mistake in the syntax": {"receipt.txt.j2": "{% if %}"},
    "a template that calls itself": {"report.html.j2": "{% include 'report.html.j2' %}"},
    "a value of the wrong type": {"report.txt.j2": "{{ game.mine[0].me.hidden[0] + 1 }}"},
    "the HTML alone": {"_base.html.j2": "{{ frame.gm.name }}"},
    "one kind alone": {"gm_turn.txt.j2": "{{ game.turn + 'th' }}"},
    "a part that lacks what is used": {"_parts.txt.j2": PARTS.replace("macro money", "macro cash")},
    "no UTF-8": {"report.txt.j2": "{{ 'caf\udce9' }}"},
    "the GM's notices": {"gm_notice.txt.j2": "{{ nobody }}", "report.txt.j2": "{% if %}"},
}


def templates(folder: Path, files: dict[str, str]) -> Path:
    """Write the GM's own templates; return the data folder."""
    (folder / "templates").mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / "templates" / name).write_bytes(text.encode(errors="surrogateescape"))
    return folder


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    """Give the league of a GM whose data folder is ``tmp_path``."""
    league = open_league(f"sqlite:///{tmp_path / 'postal.db'}", templates=tmp_path)
    yield league
    league.database.close()


@pytest.fixture(scope="module")
def as_packed(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, str]]:
    """Give the letters of two games as postal's own templates make them."""
    league = open_league(f"sqlite:///{tmp_path_factory.mktemp('packed') / 'postal.db'}")
    a_week(league)
    assert notices(league) == []
    league.database.close()
    return bodies(league)


def a_week(league: League) -> None:
    """Play two games for a turn: orders, commands, words that are no order, and reports."""
    for slug in (SLUG, "smith-2"):
        league.begin(slug)
    for player in league.players:
        league.write(player, "help\nstatus\nrules\nI am not sure yet.\n", slug="smith-2")
    league.order_all()
    league.poll()
    league.clock.advance(HOUR)
    league.due()
    league.clock.advance(8 * 24 * HOUR)
    league.poll()
    league.due()
    league.send()


def bodies(league: League) -> list[tuple[str, str, str]]:
    """Return the letters that are no notices of a template: to whom, of what kind, their text.

    What a report to the GM says of the templates is left out.
    """
    return [
        (row.recipient, row.kind, NOT_WELL.sub("", text_of(row.raw)))
        for row in league.outbox()
        if "one of your templates fails" not in row.subject
    ]


def notices(league: League) -> list[str]:
    """Return the notices to the GM about templates."""
    told = [row for row in league.outbox("") if "one of your templates fails" in row.subject]
    assert all(row.recipient == "grace@example.org" for row in told)
    return [text_of(row.raw) for row in told]


@pytest.mark.parametrize("files", BROKEN.values(), ids=BROKEN.keys())
def test_a_template_that_fails_holds_nothing_up(
    tmp_path: Path, league: League, files: dict[str, str], as_packed: list[tuple[str, str, str]]
) -> None:
    """Both games play on, each mail is as postal's own templates make it, the GM is told once."""
    templates(tmp_path, files)
    a_week(league)
    assert [row.status for row in league.mails()] == [MailStatus.DONE] * 12
    assert [league.loaded(slug).game.turn for slug in (SLUG, "smith-2")] == [3, 2]
    assert bodies(league) == as_packed
    assert len(league.post.sent) == len(league.outbox())
    told = [flat(text) for text in notices(league)]
    assert len(told) == len(files)
    for name in files:
        assert any(f"{tmp_path}/templates/{name}" in text for text in told)
    assert all("postal check" in text for text in told)


def flat(text: str) -> str:
    """Return a text without its line breaks."""
    return " ".join(text.split())


def test_the_gm_is_told_of_each_new_mistake(tmp_path: Path, league: League) -> None:
    """One that he makes anew elsewhere; not again of one that he was told of."""
    league.begin()
    for text in ("{{ one }}", "fine", "\n{{ two }}", "{{ one }}"):
        templates(tmp_path, {"help.txt.j2": text})
        for player in league.players[:2]:
            league.write(player, "help\n")
        league.poll()
        league.clock.advance(HOUR)
    first, second = notices(league)
    assert "help.txt.j2, line 1: a name, or a part of one, is undefined: {{ one }}." in flat(first)
    assert "help.txt.j2, line 2: a name, or a part of one, is undefined: {{ two }}." in flat(second)
    answers = [flat(text_of(row.raw)) for row in league.outbox("Ann", "help")]
    assert [text == "fine" for text in answers] == [False, True, False, False]


def test_the_end_of_a_mistake_is_told(tmp_path: Path, league: League) -> None:
    """Once the template is right; another that still fails is told of no more than before."""
    league.begin()
    rounds = Rounds(league.work, lambda: league.post, league.post)
    texts = ("{{ one }}", "{{ one }}\n", "fine", "{{ one }}")
    for text, subjects in zip(texts, (["fails"], [], ["over"], ["fails"]), strict=True):
        templates(tmp_path, {"help.txt.j2": text, "hint.txt.j2": "{% if %}"})
        before = len(league.outbox(""))
        league.write("Ann", "help\n")
        rounds.round()
        rounds.round()
        told = [row.subject for row in league.outbox("")[before:]]
        whole = {"fails": FAILS, "over": f"postal: it is over: {FAILS.removeprefix('postal: ')}"}
        assert told == [whole[one] for one in subjects]
        league.clock.advance(HOUR)


def test_what_no_sample_shows_is_over_when_the_file_is_changed(
    tmp_path: Path, league: League
) -> None:
    """And not before, though trying out finds nothing wrong with it."""
    league.begin()
    rounds = Rounds(league.work, lambda: league.post, league.post)
    wrong = "{{ frame.nobody if frame.slug == 'smith-1' }}"
    for text, open_still in ((wrong, True), (wrong, True), ("fine", False)):
        templates(tmp_path, {"help.txt.j2": text})
        league.write("Ann", "help\n")
        rounds.round()
        rounds.round()
        with league.database.reading() as session:
            assert bool(open_troubles(session)) is open_still
    assert len(league.outbox("", "gm")) == 3, "the report of the deal, the notice and its end"


def test_a_notice_tells_no_card_and_no_token(tmp_path: Path, league: League) -> None:
    """Neither what the template was given, nor what it made of it."""
    wrong = "{{ {}[game.mine[0].me.hidden[0].text ~ frame.mailbox] }}"
    templates(tmp_path, {"report.txt.j2": wrong})
    league.begin()
    (told,) = notices(league)
    assert wrong in flat(told)
    assert not [player for player in league.players if league.token(player) in told]
    dealt = {card for hand in league.game.hands for seat in hand.seats for card in seat.hidden}
    assert not {str(card) for card in dealt} & set(told.split())


def test_a_packed_template_that_fails_holds_up_no_other_game(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bug, or somebody changed it: the mail is tried again, and the others are answered."""
    league.begin()

    def failing(*_: object) -> object:
        raise TemplateMistakeError("help.txt.j2, line 1: a name is undefined")

    monkeypatch.setattr(Reports, "help", failing)
    league.write("Ann", "help\n")
    league.write("Bob", "status\n")
    for _ in range(3):
        league.poll()
        league.clock.advance(HOUR)
    assert [row.status for row in league.mails()] == [MailStatus.NEW, MailStatus.DONE]
    assert league.outbox("Bob", "status")
    assert any("can't be handled" in row.subject for row in league.outbox(""))

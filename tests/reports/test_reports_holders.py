"""A seat that somebody else holds now is shown as his, and ordered for by its own name."""

from dataclasses import replace

from postal.engine.view import view
from postal.mail.html import html_to_text
from postal.reports import shown_name
from tests.reports.playing import FRAME, deal, facts, play, reports

MAIL = reports()
TAM = replace(FRAME, holders={"Joe": "Tam"})


def plain(text: str) -> str:
    """Return a text on one line, with plain spaces."""
    return " ".join(text.replace("\xa0", " ").split())


def marked(text: str) -> list[str]:
    """Return the lines of a mail that are ready to copy."""
    return [line for line in text.splitlines() if line.startswith(":: ")]


def test_the_name_says_who_holds_the_seat_now() -> None:
    """And nothing more where nobody else does."""
    assert shown_name("Joe", {"Joe": "Tam"}) == "Tam, for Joe"
    assert shown_name("Ann", {"Joe": "Tam"}) == "Ann"


def test_the_money_table_of_every_mail_shows_the_holder() -> None:
    """The report's, the status', the GM's, as text and as HTML."""
    turn = next(play(deal(), seed=3))
    public, seen = view(turn.after, None), view(turn.after, "Puke")
    for mail in (
        MAIL.report(TAM, seen, turn.events),
        MAIL.status(TAM, seen),
        MAIL.gm_turn(TAM, public, turn.events),
    ):
        for text in (mail.text, html_to_text(mail.html)):
            assert "Tam, for Joe has" in plain(text)
            assert plain(text).count("Tam") == 1


def test_the_holder_is_addressed_by_her_own_name() -> None:
    """In each mail that has a salutation; the lines to order with are those of the seat."""
    turn = next(play(deal(), seed=3))
    before, after = view(turn.before, "Joe", turn.book), view(turn.after, "Joe")
    mails = (
        MAIL.report(TAM, after, turn.events),
        MAIL.status(TAM, after),
        MAIL.receipt(TAM, before, facts(turn.before, turn.book, "Joe")),
        MAIL.late(TAM, after, turn.before.turn),
    )
    for mail in mails:
        assert "Dear Tam, " in plain(mail.text)
        assert "Dear Tam, " in plain(html_to_text(mail.html))
    assert "Tam, for Joe has" in plain(mails[0].text)
    assert "(you)" in plain(mails[0].text)
    own = MAIL.report(FRAME, after, turn.events)
    assert marked(mails[0].text) == marked(own.text) != []
    assert plain(mails[0].text).replace("Tam, for Joe", "Joe").replace("Tam", "Joe") == plain(
        own.text
    )

"""Press: players' words in the next report, and the GM's at its head."""

from pathlib import Path

import pytest

from postal.engine.view import view
from postal.service.desk.log import game_log
from postal.service.desk.messages import abandon, cancel_words, message
from postal.service.desk.players import revoke_tokens
from postal.service.desk.replacing import replace_player
from postal.service.turns.reports import write_reports
from postal.store.words import take_press_back
from tests.service.people_league import reply_to
from tests.service.service_league import (
    DEADLINE,
    HOUR,
    SLUG,
    League,
    Written,
    open_league,
    text_of,
)

PRESS = "press:\nI have never seen such cards.\nend\n"


def said(row: Written) -> str:
    """Return a mail's text on one line, with plain spaces."""
    return " ".join(text_of(row.raw).split())


def reports(league: League, player: str) -> str:
    """Return a player's last report on one line."""
    return said(league.outbox(player, "report", "final")[-1])


def game(tmp_path: Path, **options: object) -> League:
    """Return a league with one game whose options are given."""
    league = open_league(f"sqlite:///{tmp_path / 'press.db'}")
    league.begin(**options)  # type: ignore[arg-type]  # options of the game alone
    league.send()
    return league


@pytest.fixture
def whisper(tmp_path: Path) -> League:
    """Give a game with private press."""
    return game(tmp_path, press="private")


def test_press_stands_in_everybodys_next_report(dealt: League) -> None:
    """Behind a mark, with its writer's name; the GM reads it too, and once is enough."""
    answer = " ".join(dealt.say("Ann", PRESS).split())
    assert "What you wrote goes to all players in the next report." in answer
    dealt.play(1)
    for player in dealt.players:
        who = "you" if player == "Ann" else "Ann"
        words = f"From {who} to all players: | I have never seen such cards."
        assert words in reports(dealt, player)
        html = dealt.outbox(player, "report")[-1].raw.decode()
        assert "never" in html
    assert "From Ann to all players: | I have never seen" in said(dealt.outbox("")[-1])
    dealt.play(1)
    assert "never seen" not in reports(dealt, "Bob")
    entries = [entry for entry in game_log(dealt.work, SLUG) if entry["what"] == "press"]
    assert [(entry["who"], entry["turn"]) for entry in entries] == [("Ann", 1)]


def test_it_is_taken_back_until_it_is_printed(dealt: League) -> None:
    """And the receipt says whether there was any."""
    dealt.write("Ann", PRESS)
    dealt.poll()
    assert "are taken back" in " ".join(dealt.say("Ann", "cancel press\n").split())
    assert "nothing was taken back" in " ".join(dealt.say("Ann", "press cancel\n").split())
    dealt.play(1)
    assert "never seen" not in reports(dealt, "Bob")
    assert "nothing was taken back" in " ".join(dealt.say("Ann", "cancel press\n").split())


def test_late_press_goes_into_the_next_report(dealt: League) -> None:
    """The turn that its mail answers is over, but there is another."""
    dealt.play(1)
    dealt.write("Ann", PRESS, turn=1)  # type: ignore[arg-type]  # a number
    dealt.poll()
    assert "What you wrote goes to all players" in said(dealt.outbox("Ann", "late")[-1])
    dealt.play(1)
    assert "never seen" in reports(dealt, "Bob")


def test_a_report_sent_again_has_its_press(dealt: League) -> None:
    """Nothing that waits for the next one is in it."""
    dealt.write("Ann", PRESS)
    dealt.play(1)
    dealt.write("Ann", "press:\nMore of that!\nend\n")
    again = " ".join(dealt.say("Bob", "resend\n").split())
    assert "never seen" in again
    assert "More of that" not in again
    revoke_tokens(dealt.work, "Cat", SLUG)
    assert "never seen" in said(dealt.outbox("Cat", "resend")[-1])


def test_press_that_is_taken_back_while_reports_are_made_is_in_none(
    dealt: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turn is worked out anew; neither is it lost nor printed twice."""
    dealt.write("Ann", PRESS)
    dealt.order_all()
    dealt.poll()
    dealt.clock.advance(HOUR)

    def slowly(*arguments: object) -> None:
        write_reports(*arguments)  # type: ignore[arg-type]  # as they came
        monkeypatch.undo()
        with dealt.database.transaction() as session:
            assert take_press_back(session, [1])

    monkeypatch.setattr("postal.service.turns.adjudication.write_reports", slowly)
    assert dealt.due() == ()
    assert len(dealt.due()) == 1
    assert "never seen" not in reports(dealt, "Bob")


def test_only_those_named_get_private_press(whisper: League) -> None:
    """And whoever wrote it; nobody else learns that there was any."""
    answer = whisper.say("Ann", "press to bob, Cat:\nDan is bluffing.\nend\n")
    assert "What you wrote goes to Bob and Cat alone in the next report." in " ".join(
        answer.split()
    )
    whisper.play(1)
    assert "From Ann to you and Cat alone: | Dan is bluffing." in reports(whisper, "Bob")
    assert "From you to Bob and Cat alone: | Dan is bluffing." in reports(whisper, "Ann")
    for row in (
        *(whisper.outbox(one)[-1] for one in ("Dan", "Eve", "Fay")),
        whisper.outbox("")[-1],
    ):
        assert "bluffing" not in said(row)
        assert "OWN WORDS" not in text_of(row.raw)


@pytest.mark.parametrize("head", ["press to Zoe:", "press to:", "press to Ann:", "press Bob:"])
def test_a_name_that_is_not_understood_is_told_of(whisper: League, head: str) -> None:
    """What is meant for few goes to nobody then."""
    answer = " ".join(whisper.say("Ann", f"{head}\nDan is bluffing.\nend\n").split())
    assert "A name was not understood, so nothing of it is printed." in answer
    whisper.play(1)
    assert not any("bluffing" in said(whisper.outbox(one)[-1]) for one in whisper.players)


def test_private_press_needs_the_option(dealt: League) -> None:
    """It is never made public instead."""
    answer = " ".join(dealt.say("Ann", "press to Bob:\nPsst.\nend\n").split())
    assert "In this game what you write in a report goes to all players" in answer
    dealt.play(1)
    assert "Psst" not in reports(dealt, "Bob")


def test_there_is_no_press_where_it_is_off(tmp_path: Path) -> None:
    """The receipt says so."""
    league = game(tmp_path, press="off")
    answer = " ".join(league.say("Ann", PRESS).split())
    assert "Nobody can write in the reports of this game" in answer
    league.play(1)
    assert "never seen" not in reports(league, "Bob")


def test_anonymous_press_names_nobody(tmp_path: Path) -> None:
    """Its order tells nothing either: it is the same whoever wrote what, and when."""
    told = []
    for folder, order in (("one", ("Ann", "Bob", "Cat")), ("two", ("Cat", "Ann", "Bob"))):
        (tmp_path / folder).mkdir()
        league = game(tmp_path / folder, anonymous=True)
        for player, words in zip(order, ("First!", "Second!", "Third!"), strict=True):
            answer = league.say(player, f"press:\n{words}\nend\n")
            assert "without your name" in " ".join(answer.split())
        league.play(1)
        told.append(reports(league, "Dan"))
        assert "From a player to all players: |" in told[-1]
    assert told[0] == told[1]


def test_a_player_can_not_fill_the_reports(dealt: League) -> None:
    """Too long a text is printed neither in part nor whole; what came before stands."""
    dealt.write("Ann", PRESS)
    dealt.poll()
    for text in ("long words " * 140, "a\n" * 41):
        answer = " ".join(dealt.say("Ann", f"press:\n{text}\nend\n").split())
        assert "1,500 characters and 40 short lines are the most" in answer
    dealt.play(1)
    assert reports(dealt, "Bob").count("From Ann to") == 1


def test_no_token_is_printed(dealt: League) -> None:
    """A player's own would let others order for him."""
    token = dealt.token("Ann")
    dealt.write(
        "Ann", f"press:\nWrite to me at gm+{token}@example.org, or {token[:8]} {token[8:]}\nend\n"
    )
    dealt.play(1)
    assert token[:8] not in text_of(dealt.outbox("Bob", "report")[-1].raw)
    assert "(token)" in reports(dealt, "Bob")


def test_press_after_the_end_is_told_of(dealt: League) -> None:
    """A game that was given up has no report any more."""
    abandon(dealt.work, SLUG)
    answer = " ".join(dealt.say("Ann", PRESS).split())
    assert "This game has no further report, so nothing of it is printed." in answer


def test_the_gm_writes_at_the_head_of_a_report(dealt: League) -> None:
    """To all, or to one; each once."""
    message(dealt.work, SLUG, "I am back on Monday.", with_report=True)
    message(dealt.work, SLUG, "Do pay your dues.", "Bob", with_report=True)
    assert not dealt.outbox(None, "message")
    dealt.play(1)
    for player in dealt.players:
        body = text_of(dealt.outbox(player, "report")[-1].raw).partition("=-=-=")[2]
        assert body.index("THE GM SAYS") < body.index("WHAT TO ORDER NOW")
        assert "From Grace, your GM, to all players: | I am back on Monday." in reports(
            dealt, player
        )
        assert ("to you alone: | Do pay your dues." in reports(dealt, player)) == (player == "Bob")


def test_the_gms_words_are_taken_back(dealt: League) -> None:
    """Those of players stay."""
    dealt.write("Ann", PRESS)
    dealt.poll()
    message(dealt.work, SLUG, "I am back on Monday.", with_report=True)
    assert cancel_words(dealt.work, SLUG) == 1
    assert cancel_words(dealt.work, SLUG) == 0
    dealt.play(1)
    assert "I am back" not in reports(dealt, "Bob")
    assert "never seen" in reports(dealt, "Bob")
    whats = [entry["more"] for entry in game_log(dealt.work, SLUG) if entry["what"] == "message"]
    assert whats[-1] == "Taken back: 1 message for the next report."


def test_who_came_after_gets_no_private_words_of_before(tmp_path: Path) -> None:
    """A seat that changed hands keeps its cards, not its holder's letters."""
    league = game(tmp_path, press="private")
    league.write("Ann", "press to Bob:\nDan is bluffing.\nend\npress:\nHello all!\nend\n")
    league.play(1)
    league.clock.advance(HOUR)
    before = len(league.outbox())
    replace_player(league.work, SLUG, "Bob", "Sue", "sue@example.org")
    mails = [said(row) for row in league.outbox()[before:] if row.recipient == "sue@example.org"]
    assert any("Hello all" in mail for mail in mails)
    assert not any("bluffing" in mail for mail in mails)


def private_mails(tmp_path: Path, name: str, words: str) -> list[bytes]:
    """Play a turn with private press from Ann to Bob; return every mail to all others."""
    (tmp_path / name).mkdir()
    league = game(tmp_path / name, press="private")
    league.write("Ann", f"press to Bob:\n{words}\nend\n" if words else "status\n")
    league.poll()
    league.play(1)
    mails = [row.raw for row in league.outbox() if row.player not in ("Ann", "Bob")]
    league.database.close()
    return mails


def test_no_byte_tells_others_of_private_press(tmp_path: Path) -> None:
    """Neither its words nor that there was any (RULES.md 10.3)."""
    one = private_mails(tmp_path, "one", "Dan is bluffing.")
    two = private_mails(tmp_path, "two", "He is not, and I hold four kings,\nsee?")
    none = private_mails(tmp_path, "none", "")
    assert len(one) > 4
    assert one == two == none


def test_orders_in_press_are_neither_printed_nor_lost(dealt: League) -> None:
    """Whoever forgets its end would show everybody his cards: he is told so."""
    order = view(dealt.game, "Ann").due[0].examples[0]
    answer = " ".join(dealt.say("Ann", f"press:\nGood luck!\n{order}\nend\n").split())
    assert "One line of what you wrote for the report would be an order of yours" in answer
    assert "LEFT UNREAD" in answer
    assert f"| {order}" in answer
    assert dealt.on_file("Ann") == []
    dealt.play(1)
    assert not any("Good luck" in reports(dealt, one) for one in dealt.players)


def test_prose_about_orders_is_printed(dealt: League) -> None:
    """A line of press is an order only where it is one from end to end."""
    words = "A call would be silly, and a: fold, too."
    dealt.write("Ann", f"press:\n{words}\nend\n")
    dealt.play(1)
    assert words in reports(dealt, "Bob")


def replaced(tmp_path: Path, text: str, **options: object) -> League:
    """Return a league in which Bob wrote a mail before Sue got his seat; the turn is over."""
    league = game(tmp_path, **options)
    league.write("Bob", text)
    league.write("Ann", "press to Bob:\nDan is bluffing.\nend\n")
    league.poll()
    league.clock.advance(HOUR)
    replace_player(league.work, SLUG, "Bob", "Sue", "sue@example.org")
    return league


def played(league: League) -> list[str]:
    """Play the turn to its deadline; return the mails that Sue has got."""
    league.clock.set(DEADLINE + HOUR)
    league.poll()
    assert len(league.due()) == 1
    return [said(row) for row in league.outbox() if row.recipient == "sue@example.org"]


def test_words_that_wait_are_of_who_wrote_them(tmp_path: Path) -> None:
    """Not of who sits there when they are printed: what was private stays so."""
    text = "press to Cat:\nI am leaving.\nend\npress:\nFarewell!\nend\n"
    mails = played(replaced(tmp_path, text, press="private"))
    assert "From Bob to all players: | Farewell!" in mails[-1]
    assert not any("bluffing" in mail or "leaving" in mail for mail in mails)


def test_who_came_after_takes_no_words_of_before_back(tmp_path: Path) -> None:
    """They are another's, and neither count nor go."""
    league = replaced(tmp_path, "press:\nFarewell!\nend\n", press="private")
    row = [one for one in league.outbox() if one.recipient == "sue@example.org"][-1]
    token = reply_to(row).partition("+")[2].partition("@")[0]
    league.write("Sue", "cancel press\n", token=token)
    assert any("Farewell" in mail for mail in played(league))
    (receipt,) = league.outbox("Bob", "receipt")[-1:]
    assert "nothing was taken back" in said(receipt)


def test_who_came_after_is_not_told_whose_nameless_words_were(tmp_path: Path) -> None:
    """Nor does a report that is made again say so."""
    mails = played(replaced(tmp_path, "press:\nFarewell!\nend\n", anonymous=True))
    assert "From a player to all players: | Farewell!" in mails[-1]
    assert not any("From you" in mail for mail in mails)


def test_no_token_stands_in_the_gms_words(dealt: League) -> None:
    """The GM may have pasted in a player's mail."""
    token = dealt.token("Ann")
    message(dealt.work, SLUG, f"Ann wrote to {token}.")
    message(dealt.work, SLUG, f"She did, to {token}.", with_report=True)
    dealt.play(1)
    abandon(dealt.work, SLUG, f"It was {token}.")
    for kind in ("message", "report", "abandoned"):
        text = text_of(dealt.outbox("Bob", kind)[-1].raw)
        assert token not in text
        assert "(token)" in text

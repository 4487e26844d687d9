"""Lines with the marks of our mails: ours are never mentioned, edited ones are told (ORDERS.md)."""

import re
from collections.abc import Callable

import pytest

from postal.engine.view import view
from tests.service.service_league import HOUR, League, text_of
from tests.service.test_service_waiting import of_edition


def sent(league: League, player: str, kind: str = "report") -> str:
    """Return the text of the last mail of a kind to a player."""
    return text_of(league.outbox(player, kind)[-1].raw)


def marked(text: str) -> list[str]:
    """Return the lines ready to copy of a mail."""
    return [line for line in text.splitlines() if line.startswith(":: ")]


def bettor(league: League) -> tuple[str, str]:
    """Return a player who may raise, and the table."""
    for player in league.players:
        for item in view(league.game, player).due:
            if any("raise" in one for one in item.examples):
                return player, item.examples[0][0]
    raise AssertionError("nobody may raise")


QUOTES: dict[str, Callable[[str], str]] = {
    "as it is": lambda line: line,
    "quoted": lambda line: f"> {line}",
    "quoted twice": lambda line: f">> {line}",
    "in a list": lambda line: f"- {line}",
    "with the link of our HTML": lambda line: f"> {line}   write this",
    "with the link's address": lambda line: f"> {line} [write this](mailto:gm@example.org)",
    "with hard spaces": lambda line: line.replace(" ", "\u00a0"),
}


@pytest.mark.parametrize("quote", QUOTES)
def test_lines_that_we_sent_are_never_mentioned(betting: League, quote: str) -> None:
    """Nor do they hold the turn, though nothing else was found."""
    betting.order_all()
    betting.poll()
    of_edition(betting, 2)
    for kind in ("report", "receipt"):
        lines = marked(sent(betting, "Ann", kind))
        assert lines
        body = "\n".join(QUOTES[quote](line) for line in lines)
        said = betting.say("Ann", f"Thanks!\n\n{body}\n")
        assert "LEFT UNREAD" not in said
        assert "NOT TAKEN" not in said
        assert "so the turn does not wait for you." in " ".join(said.split())


def test_an_edited_line_is_told_with_the_line_to_copy(betting: League) -> None:
    """And its hand stays waited for, though an order of his is on file."""
    betting.order_all()
    betting.poll()
    of_edition(betting, 2)
    player, table = bettor(betting)
    said = betting.say(player, f":: {table}: raise 7,000\n")
    plain = " ".join(said.split())
    assert f"| :: {table}: raise 7,000" in plain
    assert 'The line begins with "::", and no such line is read.' in plain
    assert f'Write it without the "::": :: {table}: raise 7000' in plain
    assert "but the turn waits for you until" in plain
    betting.clock.advance(HOUR)
    assert betting.due() == ()
    betting.say(player, f"{table}: raise 7,000\n")
    betting.clock.advance(HOUR)
    assert len(betting.due()) == 1


def test_an_edited_line_that_would_be_refused_is_told_what_is_right(betting: League) -> None:
    """The line to copy is one that is taken."""
    player, table = bettor(betting)
    said = betting.say(player, f":: {table}: raise 70000\n")
    offered = marked(said.partition("ON FILE")[0])[0].removeprefix(":: ")
    assert offered != f"{table}: raise 70000"
    betting.say(player, f"{offered}\n")
    assert offered in betting.on_file(player)


def test_an_edited_line_put_right_below_holds_nothing(betting: League) -> None:
    """He saw it himself."""
    betting.order_all()
    betting.poll()
    of_edition(betting, 2)
    player, table = bettor(betting)
    betting.say(player, f":: {table}: raise 7000\n{table}: raise 7000\n")
    betting.clock.advance(HOUR)
    assert len(betting.due()) == 1


def test_a_line_edited_within_the_quoted_report_is_told(betting: League) -> None:
    """All others there are as we sent them."""
    player, table = bettor(betting)
    report = sent(betting, player)
    old = next(line for line in marked(report) if line.startswith(f":: {table}: raise"))
    edited = report.replace(f"{old}\n", f":: {table}: raise 7000\n")
    said = betting.say(player, "\n".join(f"> {line}" for line in edited.splitlines()))
    assert f"| :: {table}: raise 7000" in said.replace("\u00a0", " ")
    assert f'Write it without the "::": :: {table}: raise 7000' in " ".join(said.split())
    assert said.count("You wrote") == 1


def test_so_are_all_of_them_where_the_report_is_known(dealt: League) -> None:
    """In the first turn there is one for each hand, and he has changed each."""
    report = sent(dealt, "Ann", "welcome")
    cards = re.compile(r"(?m)^:: (.): give (\S+) (\S+) next")
    edited = cards.sub(r":: \1: give \3 \2 next", report)
    said = dealt.say("Ann", "\n".join(f"> {line}" for line in edited.splitlines()))
    assert said.count("You wrote") == 3
    other = re.sub(r" (\S+ next), (\S+) previous", r" \1, \2 before", edited)
    alone = "\n".join(f"> {line}" for line in marked(other) if "give" in line)
    assert dealt.say("Ann", f"Here they are.\n{alone}\n").count("You wrote") == 3


def test_a_quoted_report_that_is_not_known_is_left_alone(betting: League) -> None:
    """Such as another's, or one of a time before a backup was put back."""
    player, table = bettor(betting)
    lines = "\n".join(f"> :: {table}: raise {7000 + number}" for number in range(5))
    good = view(betting.game, player).due[0].examples[0]
    words = "> This is a line of a report that nobody here has ever written.\n"
    assert "NOT TAKEN" not in betting.say(player, f"{good}\n\n{words}{lines}\n")


def test_prose_behind_the_mark_is_nothing(betting: League) -> None:
    """Not every line with it is one of ours changed."""
    said = betting.say("Ann", ":: oh well ::\n")
    assert "NOT TAKEN" not in said


def test_another_client_s_bar_is_left_unread(betting: League) -> None:
    """Some quote with it: where nothing else was found, what looks like an order is shown."""
    player, table = bettor(betting)
    assert "LEFT UNREAD" in betting.say(player, f"| {table}: raise 7000\n")
    good = view(betting.game, player).due[0].examples[0]
    assert "LEFT UNREAD" not in betting.say(player, f"{good}\n| {table}: raise 7000\n")

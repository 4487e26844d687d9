"""What the turn reports tell: cards, hands, events, money, what is due, and the deadline."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from postal.engine.book import Book, submit
from postal.engine.cards import cards_text, parse_cards
from postal.engine.events import (
    Dropped,
    Event,
    HandOver,
    IouClosed,
    IouWritten,
    Nmr,
    Raised,
    Returned,
    TurnedUp,
)
from postal.engine.game import adjudicate
from postal.engine.ranking import describe
from postal.engine.view import view
from postal.mail.html import html_to_text
from postal.ordertext import read_mail
from postal.reports import Rendered
from tests.reports.playing import (
    EIGHT,
    FRAME,
    SECRET,
    SIX,
    Turn,
    context,
    deal,
    plain_mails,
    play,
    player_mails,
    reports,
)

MAIL = reports()


def plain(text: str) -> str:
    """Return a text as one line with plain spaces."""
    return " ".join(text.replace("\u2060", "").split())


def last_turn(**options: Any) -> Turn:
    """Return the last turn of a game."""
    return list(play(deal(**options), seed=6))[-1]


def told(*events: Event, viewer: str = "Joe") -> str:
    """Return the text of a report in which these events happened."""
    turn = next(play(deal(), seed=1))
    return plain(MAIL.report(FRAME, view(turn.after, viewer), events).text)


def test_welcome_shows_seven_cards_seats_commitment_and_what_is_due() -> None:
    """Turn 0's mail is the welcome, and turn 1's orders are due."""
    seen = view(deal(), "Joe")
    mail = MAIL.report(FRAME, seen)
    assert mail.subject == "smith-1: welcome, orders due Sun 6 Dec 20:00 GMT"
    for table, hand, seat in seen.mine():
        assert cards_text(sorted(seat.hidden or (), reverse=True)) in mail.text
        assert f"hand {hand.name} at table {table.letter}" in plain(mail.text)
    assert FRAME.commitment in mail.text
    assert FRAME.commitment in mail.html
    assert mail.text.count(":: ") == 3
    deadline = "Sunday 6 December 2026, 20:00 GMT (Europe/London), in 6 days and 23 hours."
    assert deadline in plain(mail.text)


def test_report_shows_own_cards_given_and_got() -> None:
    """After the give a player reads what went where; nobody else's (RULES.md 2.5)."""
    turn = next(play(deal(), seed=1, silent=0))
    text = plain(MAIL.report(FRAME, view(turn.after, "Joe"), turn.events).text)
    for hand, index in turn.after.hands_of("Joe"):
        seat = hand.seats[index]
        for way, gifts in (("You gave to", seat.gave), ("You got from", seat.got)):
            for gift in gifts:
                cards = cards_text(sorted(gift.cards, reverse=True))
                assert f"{way} {gift.player}: {cards}" in text


@pytest.mark.parametrize("names", [SIX, EIGHT], ids=["six", "eight"])
def test_every_hand_stands_in_every_report(names: tuple[str, ...]) -> None:
    """All hands are there at every turn, own and others', in the text and in the HTML."""
    for turn in play(deal(names), seed=2):
        mail = MAIL.report(FRAME, view(turn.after, names[0]), turn.events)
        for form in (plain(mail.text), plain(html_to_text(mail.html))):
            for hand in turn.after.hands:
                assert re.search(rf"[Hh]and {hand.name}\b", form), hand.name


def test_text_and_html_tell_the_same_money() -> None:
    """Balances and pots stand in both forms."""
    for turn in play(deal(), seed=8):
        mail = MAIL.report(FRAME, view(turn.after, "Puke"), turn.events)
        for form in (plain(mail.text), plain(html_to_text(mail.html))):
            for money in turn.after.balances.values():
                assert f"£{money:,}" in form.replace("-£", "£-")


def test_order_lines_of_a_report_are_good_orders() -> None:
    """Each line ready to copy is taken as it stands."""
    for number, turn in enumerate(play(deal(), seed=4, silent=0)):
        for player in (SIX[number % 6], SIX[(number + 3) % 6]):
            seen = view(turn.before, player)
            mail = MAIL.report(FRAME, seen, ())
            html = plain(html_to_text(mail.html))
            for line in mail.text.splitlines():
                if line.startswith(":: "):
                    read = read_mail(line.removeprefix(":: "), context(seen))
                    taken = submit(turn.before, Book(), player, read.lines)
                    assert len(taken.accepted) == 1, line
                    assert line in html


def test_report_subject_is_numbered_by_the_turn_played() -> None:
    """The turn reported is the one before the turn whose orders are due."""
    turn = next(play(deal(), seed=1))
    mail = MAIL.report(FRAME, view(turn.after, "Joe"), turn.events)
    assert mail.subject == "smith-1: turn 1 report, orders due Sun 6 Dec 20:00 GMT"


def test_deadline_is_told_in_the_zone_and_in_utc() -> None:
    """Where the day differs both days are told."""
    frame = replace(FRAME, zone="America/New_York", deadline=datetime(2026, 7, 4, 2, tzinfo=UTC))
    mail = MAIL.report(frame, view(deal(), "Joe"))
    assert mail.subject.endswith("orders due Fri 3 Jul 22:00 EDT")
    assert "Saturday 4 July 2026, 02:00 UTC" in plain(mail.text)


def test_final_report_opens_every_card_and_the_deal() -> None:
    """The last turn's report holds the final table, all cards and the secret (10.4)."""
    turn = last_turn()
    mail = MAIL.report(FRAME, view(turn.after, "Joe"), turn.events, secret=SECRET.hex())
    text = plain(mail.text)
    assert mail.subject.startswith("smith-1: final report")
    assert "orders due" not in mail.subject
    for hand in turn.after.hands:
        for seat in hand.seats:
            dealt = cards_text(sorted(seat.dealt, reverse=True))
            assert f"{seat.player} was dealt {dealt}" in text
    for place, player, money in turn.after.standings():
        amount = f"-£{-money:,}" if money < 0 else f"£{money:,}"
        assert f"Place {place}: {player} has {amount}" in text


def test_final_report_opens_nothing_where_cards_stay_closed() -> None:
    """With reveal = never there is a final table and no opened cards."""
    turn = last_turn(reveal="never")
    text = plain(MAIL.report(FRAME, view(turn.after, "Joe"), turn.events).text)
    assert "THE FINAL TABLE" in text
    assert "was dealt" not in text


def test_events_are_sentences() -> None:
    """Raises, ends, NMRs, drops and IOUs are told by name, the reader as you."""
    text = told(
        Raised(hand="A1", player="Puke", equalled=20_000, amount=40_000, audience=None),
        HandOver(hand="A1", end="fold", winners=("Joe",), pot=80_000, share=80_000, audience=None),
        Nmr(hand="B1", player="Puke", used="give", audience=None),
        IouWritten(hand="B2", player="Joe", to="Puke", amount=150_000, audience=None),
        IouClosed(hand="B2", player="Joe", to="Puke", amount=150_000, owed=True, audience=None),
        Dropped(player="Puke", missed=2, audience=None),
        Returned(player="Joe", audience=None),
        HandOver(hand="C1", end="checks", winners=("Joe", "Puke"), pot=80, share=40, audience=None),
    )
    for sentence in (
        "In hand A1: Puke raised, equalling £20,000 and adding £40,000.",
        "The hand ended by a fold. You take the pot of £80,000.",
        'In hand B1: NMR: no good order from Puke, so the default "give" was used.',
        "You wrote Puke an IOU for £150,000. Your IOU to Puke for £150,000 stands as a debt.",
        "You and Puke divide the pot of £80, £40 each.",
        "In the game: Puke is no longer waited for, after 2 turns in a row without orders.",
        "You are back and waited for again.",
    ):
        assert sentence in text


@pytest.mark.parametrize("heard", [True, False])
def test_9_3_who_wrote_and_was_not_understood_is_not_told_that_he_sent_nothing(
    heard: bool,  # noqa: FBT001 - whether a line came
) -> None:
    """But he alone: of another nobody learns whether he wrote (10.3)."""
    turn = next(play(deal(), seed=1))
    nmrs = [Nmr(hand="A1", player=who, used="give", audience=None) for who in ("Joe", "Puke")]
    text = plain(MAIL.report(FRAME, view(turn.after, "Joe"), nmrs, heard=heard).text)
    order = "no good order" if heard else "no order"
    assert f'NMR: {order} from you, so the default "give" was used.' in text
    assert 'NMR: no good order from Puke, so the default "give" was used.' in text


@pytest.mark.parametrize(
    ("events", "says"),
    [
        (
            (Nmr(hand="A1", player="Joe", used="give", audience=None),),
            "No good orders came in time for hand A1: you were NMR there.",
        ),
        (
            (
                Nmr(hand="A1", player="Joe", used="give", audience=None),
                Nmr(hand="B1", player="Joe", used="give", audience=None),
                Dropped(player="Joe", missed=2, notice=48, audience=None),
            ),
            (
                "No good orders came in time for hands A1 and B1: you were NMR there. Nothing has"
                " come from you for 2 turns: you are dropped. The next turn goes on without you,"
                " not sooner than 48 hours from now. Any answer to this mail brings you back."
            ),
        ),
        (
            (Dropped(player="Joe", missed=0, resigned=True, audience=None),),
            (
                "You have resigned. The next turn goes on without you. Any answer to this mail"
                " brings you back."
            ),
        ),
        ((Nmr(hand="A1", player="Puke", used="give", audience=None),), ""),
    ],
)
def test_9_4_the_first_paragraph_says_what_was_missed(events: tuple[Event, ...], says: str) -> None:
    """To whoever it was that missed it, with how to come back; in both forms of the mail."""
    turn = next(play(deal(), seed=1))
    mail = MAIL.report(FRAME, view(turn.after, "Joe"), events)
    begins = f"Dear Joe, this is turn 1 of smith-1.{' ' if says else ''}{says} The deadline is"
    for form in (plain(mail.text), plain(html_to_text(mail.html))):
        assert begins in form
    dropped = view(replace(turn.after, dropped=("Joe",)), "Joe")
    again = plain(MAIL.report(FRAME, dropped, ()).text)
    assert "Nobody waits for your orders at the moment. Any answer to this mail brings" in again


def turned_up(hand: str, joe: str, puke: str, *, double: bool = False) -> list[Event]:
    """Return that two hands were turned up, in the words that the engine has for them."""
    return [
        TurnedUp(
            hand=hand,
            player=player,
            cards=parse_cards(cards),
            worth=describe(parse_cards(cards), double_ace_flush=double),
            audience=None,
        )
        for player, cards in (("Joe", joe), ("Puke", puke))
    ]


@pytest.mark.parametrize(
    ("joe", "puke", "says"),
    [
        ("AS AH KC 9D 4S", "AD AC KH 9S 3C", ("aces, then king, nine, four", "nine, three.")),
        ("AS AH KC 9D 4S", "AD AC QH 9S 3C", ("aces, then king.", "aces, then queen.")),
        ("AS AH KC 9D 4S", "AD AC KH 9S 4C", ("king, nine, four.", "king, nine, four.")),
        ("AS AH KC 9D 4S", "KD KC AH 9S 4C", ("a pair of aces.", "a pair of kings.")),
        ("KS KH 9C 9D 4S", "KD KC 9H 9S 3C", ("kings and nines, then four.", "then three.")),
        ("AS QS 9S 4S 2S", "AH QH 10H 4H 2H", ("ace high, then queen, nine.", "queen, ten.")),
        ("AS KS QS JS 9S", "2H 2C 2D 3H 3C", ("a flush, ace high.", "twos over threes.")),
        ("6S 5H 4C 3D 2S", "6D 5C 4H 3S 2C", ("straight to the six.", "straight to the six.")),
    ],
)
def test_words_for_a_hand_go_as_far_as_what_decided(
    joe: str, puke: str, says: tuple[str, str]
) -> None:
    """Up to the first rank that differs; equal hands are told in full."""
    text = told(*turned_up("A1", joe, puke))
    assert all(say in text for say in says), text
    # Beside another hand's cards nothing is compared.
    other = turned_up("B1", puke, joe)[0]
    alone = told(turned_up("A1", joe, puke)[0], other)
    assert "then" not in alone.partition("WHAT HAPPENED")[2].partition("YOUR HANDS")[0]


def test_7_3_a_double_ace_flush_is_told_as_it_counts() -> None:
    """Where a joker may double the ace, that is what decided."""
    joe, puke = "AS JKR 9S 5S 2S", "AH KH QH 10H 8H"
    for double, then in ((False, "king, nine"), (True, "ace")):
        turn = next(play(deal(double_ace_flush=double), seed=1))
        events = turned_up("A1", joe, puke, double=double)
        text = plain(MAIL.report(FRAME, view(turn.after, "Joe"), events).text)
        assert f"a flush, ace high, then {then}." in text
        gm = plain(MAIL.gm_turn(FRAME, view(turn.after, None), events).text)
        assert f"a flush, ace high, then {then}." in gm


def test_6_8_a_divided_pot_says_that_the_hands_are_equal() -> None:
    """A pot that nobody wins alone is explained."""
    both = ("Joe", "Puke")
    text = told(HandOver(hand="C1", end="call", winners=both, pot=80, share=40, audience=None))
    assert "The hand ended by a call. The hands are equal. You and Puke divide the pot" in text


def test_money_is_told_as_far_as_it_reaches() -> None:
    """Whoever can't pay is told what is left to him, and what he can raise at most (8.2, 8.5)."""
    turn = next(turn for turn in play(deal(), seed=4, silent=0) if turn.before.turn == 3)
    seen = view(turn.before, "Joe")
    bet = next(item for item in seen.due if "stay" not in item.verbs)
    money = {**turn.before.balances, "Joe": 19_000}

    def status(cash: int) -> str:
        game = replace(turn.before, balances={**money, "Joe": cash})
        text = plain(MAIL.status(FRAME, view(game, "Joe")).text)
        return text.partition(f"For hand {bet.hand}")[2].partition("For hand")[0]

    said = status(19_000)
    assert "A raise adds from £5,000 to £19,000, the most that your money allows." in said
    assert f":: {bet.table}: raise 5000" in said
    said = status(900)
    assert "You have £900 left for it, which is not enough to raise." in said
    assert "You may only fold now." in said
    assert f":: {bet.table}: raise" not in said
    assert "the most that your money allows" not in status(50_000)


def test_events_of_others_stay_out() -> None:
    """An event with an audience is told to that audience alone."""
    secret = TurnedUp(hand="A1", player="Puke", cards=(), worth="nothing", audience=("Puke",))
    assert "nothing." not in told(secret)
    assert "nothing." in told(secret, viewer="Puke")


def test_iou_is_named_with_what_became_of_it() -> None:
    """A debt, an open IOU and a void one are told apart (8.3)."""
    game = next(play(deal(), seed=1)).after
    first, second, *rest = game.hands
    joe, puke = first.seats[0].player, first.seats[1].player
    lost = replace(first.with_seat(0, iou=50_000, paid=60_000), end="call", winners=(puke,))
    waiting = second.with_seat(1, iou=70_000)
    game = replace(game, hands=(lost, waiting, *rest), balances={**game.balances, joe: -10_000})
    text = plain(MAIL.status(FRAME, view(game, "Joe")).text)
    assert f"{joe} to {puke} for £50,000, a debt, and the balance is -£10,000." in text
    assert "for £70,000, open until the hand ends." in text


def test_dropped_players_are_marked() -> None:
    """Whoever is not waited for is named so beside his money."""
    game = replace(deal(), dropped=("Puke",))
    text = plain(MAIL.status(FRAME, view(game, "Joe")).text)
    assert "Puke has £1,000,000 (no longer waited for)" in text


def every_mail() -> list[Rendered]:
    """Return every mail of some turns of a game of eight, the GM's included."""
    turns = list(play(deal(EIGHT), seed=12))
    mails = [mail for _, mail in plain_mails(MAIL, turns[0].before.rules)]
    for turn in (turns[0], turns[2], turns[-1]):
        mails += [mail for _, mail in player_mails(MAIL, turn, "Joe")]
        mails.append(MAIL.gm_turn(FRAME, view(turn.after, None), turn.events))
    mails.append(MAIL.gm_notice(FRAME, "a mail was set aside", ["It failed 3 times."], "A: fold"))
    return mails


def test_html_is_small_inline_and_without_script() -> None:
    """HTML stays under 102 kB with all styles inline, no picture and nothing to load."""
    for mail in every_mail():
        assert len(mail.html.encode()) < 102_000
        assert not re.search(r"<style|<script|<img|<link|src=|https?:|url\(", mail.html)
        assert "background-color" in mail.html
        links = re.findall(r'href="([^"]*)"', mail.html)
        assert all(link.startswith("mailto:") and len(link) < 1_600 for link in links)


def test_mailto_links_carry_the_order_and_the_token() -> None:
    """A link begins a mail to the reply address with one order in it."""
    frame = replace(FRAME, reply_subject="smith-1 & token=x")
    mail = MAIL.report(frame, view(deal(), "Joe"))
    assert "mailto:gm+abcdefghijklmnop@example.org?subject=smith-1%20%26%20token%3Dx" in mail.html
    assert re.search(r"body=A%3A%20give%20\w+%20\w+%20next%2C%20\w+%20previous", mail.html)


def test_suits_are_symbols_in_html_and_letters_in_text() -> None:
    """Symbols ask for their plain form, red ones are red."""
    mail = MAIL.report(FRAME, view(deal(), "Joe"))
    assert re.search(r'<b style="color:#b3001b">\w+[♥♦]\ufe0e</b>', mail.html)
    assert re.search(r"<b>\w+[♠♣]\ufe0e</b>", mail.html)
    assert not re.search("[♠♥♦♣]", mail.text)


def test_gm_report_names_missing_orders() -> None:
    """The GM reads first who was NMR."""
    after, events = adjudicate(deal(), Book())
    mail = MAIL.gm_turn(FRAME, view(after, None), events)
    assert mail.subject == "smith-1: GM report, turn 1, orders due Sun 6 Dec 20:00 GMT"
    assert plain(mail.text).count("no good order from Puke") >= 3


def test_gm_notice_marks_other_peoples_words() -> None:
    """A stranger's words come line by line behind their mark."""
    mail = MAIL.gm_notice(
        FRAME, "a mail was set aside", ["It failed; 3 times."], "A: fold\r\nB: fold"
    )
    assert mail.subject == "smith-1: a mail was set aside"
    assert "| A:\u00a0fold" in mail.text
    assert "It failed, 3 times." in plain(mail.text)


def test_final_gm_report_holds_the_final_table() -> None:
    """The GM's last report ends the game."""
    turn = last_turn()
    mail = MAIL.gm_final(FRAME, view(turn.after, None), turn.events)
    assert mail.subject.startswith("smith-1: GM final report")
    assert "THE FINAL TABLE" in mail.text

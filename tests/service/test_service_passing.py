"""What players write to the GM: `gm:` blocks, and every mail without order and command."""

from datetime import timedelta
from urllib.parse import quote

import pytest

from postal.service.desk.log import game_log
from tests.service.service_league import HOUR, SLUG, League, Written, parsed, text_of

QUESTION = "Dear Grace, may my sister play my hands while I am at sea?\n"


def to_gm(league: League) -> list[Written]:
    """Return the mails that passed somebody's words on."""
    return [row for row in league.outbox("") if "a word from" in row.subject]


def said(row: Written) -> str:
    """Return a mail's text on one line, with plain spaces."""
    return " ".join(text_of(row.raw).split())


def test_a_plain_question_goes_to_the_gm(dealt: League) -> None:
    """Its writer hears so, and the GM's answer goes straight to him."""
    answer = " ".join(dealt.say("Ann", QUESTION).split())
    assert "Your words were passed on to Grace as your GM" in answer.partition("=-=-=")[0]
    (mail,) = to_gm(dealt)
    assert "| Dear Grace, may my sister play my hands while I am" in said(mail)
    assert parsed(mail.raw)["Reply-To"] == "Ann <ann@example.org>"
    assert mail.recipient == "grace@example.org"
    entries = [entry for entry in game_log(dealt.work, SLUG) if entry["what"] == "passed-on"]
    assert [entry["who"] for entry in entries] == ["Ann"]


def test_a_block_to_the_gm_goes_beside_orders(dealt: League) -> None:
    """The orders are none of his business, and stay out of it."""
    text = dealt.say("Ann", "A: give 2C 5D next\ngm:\nIs my cat allowed?\nend\nstatus maybe\n")
    assert "Your words were passed on to Grace" in " ".join(text.split())
    (mail,) = to_gm(dealt)
    assert "| Is my cat allowed?" in said(mail)
    assert "give" not in said(mail)


@pytest.mark.parametrize(
    "text",
    ["A: fold\n", "status\n", "A: raise lots\nAnn\n", "> A: fold\n", "cancel A\nMany thanks!\n"],
)
def test_orders_and_commands_go_to_nobody(dealt: League, text: str) -> None:
    """Nor does a signature under an order gone wrong."""
    dealt.write("Ann", text)
    dealt.poll()
    assert not to_gm(dealt)


def test_a_question_about_an_order_is_one(dealt: League) -> None:
    """Though the receipt says that no order was found in it."""
    dealt.write("Ann", "A: fold?\n")
    dealt.poll()
    assert len(to_gm(dealt)) == 1


def test_an_order_gone_wrong_is_left_out(dealt: League) -> None:
    """A question beside it goes on, the cards in it do not."""
    text = "A: give 2C 5D\nA: fold?\nMay I really give nothing at all at this table?\n"
    dealt.write("Ann", text)
    dealt.write("Bob", "A: give 2C 5D\nA: fold?\n")
    dealt.poll()
    (mail,) = to_gm(dealt)
    assert "May I really give nothing" in said(mail)
    assert "2C" not in said(mail)


def test_only_what_stands_above_the_quote_goes_on(dealt: League) -> None:
    """The rest may hold cards that the GM who plays too must not see."""
    dealt.write("Ann", f"{QUESTION}\nOn Monday Grace wrote:\n> Your hidden cards: AS KD\n")
    dealt.write("Bob", "On Monday Grace wrote:\n> Your cards: AS\n\nWhy do I have that?\n")
    dealt.poll()
    first, second = map(said, to_gm(dealt))
    assert "AS KD" not in first
    assert "AS" not in second
    assert "stands below a quote" in second


def disguises(token: str) -> list[str]:
    """Return a token as it may stand in a mail."""
    coded = "".join(f"%{ord(char):02X}" for char in token)
    return [
        token,
        token.upper(),
        f"{token[:7]}\n{token[7:]}",
        f"{token[:7]}=\n{token[7:]}",
        " ".join(token),
        "-".join(token),
        f"{token[:3]}\u200b{token[3:]}",
        coded,
        quote(coded),
        "".join(f"={ord(char):02X}" for char in token),
        "".join(f"&#{ord(char)};" for char in token),
        "".join(chr(ord(char) + 0xFEE0) for char in token),
        f"mailto:gm%2B{token}%40example.org?body=A%3A%20fold",
        f"x{token}y",
    ]


def test_no_token_goes_on_however_it_is_written(dealt: League) -> None:
    """Neither in the words, nor in the Message-ID or an address."""
    for player in dealt.players:
        token = dealt.token(player)
        for number, disguise in enumerate(disguises(token)):
            dealt.write(player, f"Is number {number} my token? {disguise} I wonder.\n")
            dealt.poll()
            dealt.clock.advance(6 * HOUR)
    mails = to_gm(dealt)
    assert len(mails) > len(disguises("x" * 16))
    for mail in mails:
        raw = (mail.raw or b"").decode()
        bare = "".join(char for char in raw.lower() if char.isalnum())
        text = "".join(char for char in text_of(mail.raw) if char.isalnum())
        assert all(dealt.token(player) not in bare for player in dealt.players)
        assert all(dealt.token(player) not in text.lower() for player in dealt.players)
        assert "(token)" in text_of(mail.raw)


def test_no_more_than_five_a_day_go_on(dealt: League) -> None:
    """The rest is counted; the GM hears of it once at once, and of how many with the next one."""
    for number in range(9):
        answer = dealt.say("Ann", f"I have a thought, number {number}.\n")
    assert "5 mails a day are the most" in " ".join(answer.split())
    assert len(to_gm(dealt)) == 5
    assert len([row for row in dealt.outbox("") if "more mail than" in row.subject]) == 1
    dealt.say("Bob", "I have one too.\n")
    dealt.clock.advance(timedelta(days=1, minutes=1))
    dealt.say("Ann", "Good morning!\n")
    *_, ours, last = to_gm(dealt)
    assert "earlier mail" not in said(ours)
    assert "4 earlier mails of theirs" in said(last)


def test_what_a_program_sends_goes_to_nobody(dealt: League) -> None:
    """An answer of a mail program on holiday is for nobody to read."""
    for headers in ("Auto-Submitted: auto-replied\n", "X-Autoreply: yes\n", "Precedence: bulk\n"):
        dealt.write("Ann", "I am away until Monday.\n", headers=headers)
    dealt.poll()
    assert not to_gm(dealt)


def test_nobody_without_a_token_writes_to_the_gm(dealt: League) -> None:
    """From proves nothing."""
    dealt.write("Ann", QUESTION, token="")
    dealt.write("Bob", "gm:\nHello!\nend\n", token="a" * 16)
    dealt.poll()
    assert not to_gm(dealt)


def test_a_question_in_an_answer_to_an_old_report_goes_on_too(dealt: League) -> None:
    """It orders nothing, and is told so."""
    dealt.play(1)
    dealt.write("Ann", QUESTION, turn=1)  # type: ignore[arg-type]  # a number
    dealt.poll()
    assert len(to_gm(dealt)) == 1
    (late,) = dealt.outbox("Ann", "late")
    assert "no order in it counts. Your words were passed on to Grace" in said(late)


def test_nobody_else_hears_of_it(dealt: League) -> None:
    """Nor does a second address that a player wrote from count as another's."""
    before = len(dealt.outbox())
    dealt.say("Ann", QUESTION)
    assert {row.player for row in dealt.outbox()[before:]} == {"", "Ann"}


def test_no_most_of_a_token_is_left_where_words_are_cut(dealt: League) -> None:
    """Fifteen letters of it leave next to nothing to be guessed."""
    token = dealt.token("Ann")
    words = "Dear Grace, how do I\n" * 190
    dealt.say("Ann", f"{words}{token} is mine, I think.\n")
    (mail,) = to_gm(dealt)
    assert token[:5] not in text_of(mail.raw)


def test_orders_that_words_have_swallowed_are_left_out(dealt: League) -> None:
    """The block has no end, so its writer is told; his cards are nobody's business."""
    text = "May my sister play for me until Sunday evening?\npress:\nHello!\n"
    dealt.write("Ann", f"{text}A:  give 2C 5D next, 9H previous\n")
    dealt.poll()
    (mail,) = to_gm(dealt)
    assert "May my sister play" in said(mail)
    assert "2C" not in said(mail)

"""A mail's own lines are read; what is quoted, headed or signed is not."""

import pytest

from postal.ordertext import MARKER, Context, read_mail

PLAYER = Context(
    hands={"A": "A2", "B": "B1", "C": "C3"},
    neighbours={table: {"Puke": 1, "Joe": -1} for table in "ABC"},
)
ONE_TABLE = Context(hands={"A": "A1"}, neighbours={})


def orders(text: str) -> list[str]:
    """Return the canonical lines read from a mail."""
    return [line.order.line() for line in read_mail(text, PLAYER).lines]


@pytest.mark.parametrize(
    "quoted",
    [
        "> A: fold",
        ">A: fold",
        "> > A: fold",
        " > A: fold",
        "• > A: fold",
    ],
)
def test_quoted_line_is_cut_and_noted(quoted: str) -> None:
    """A quoted line is no order; that it would have been one is kept for the receipt."""
    reading = read_mail(f"Hi\n{quoted}\nB: stay", PLAYER)
    assert [line.order.line() for line in reading.lines] == ["B: stay"]
    assert reading.problems == ()
    assert reading.cut == ((2, quoted.strip()),)


@pytest.mark.parametrize(
    ("line", "guarded"),
    [
        (":: A: fold", ":: A: fold"),
        ("| A: fold", "| A: fold"),
        ("- :: A: fold", ":: A: fold"),
        ("> > :: A: raise 5", ":: A: raise 5"),
        (">| Well said", "| Well said"),
    ],
)
def test_a_line_as_ours_is_noted_by_itself(line: str, guarded: str) -> None:
    """It may be ours, which is nothing to tell, or one that he has edited."""
    for text in (f"Hi\n{line}\nB: stay", f"Hi\n{line}"):
        reading = read_mail(text, PLAYER)
        assert (reading.problems, reading.cut, reading.told) == ((), (), ())
        assert reading.guarded == ((2, guarded),)


def test_quoted_prose_is_not_noted() -> None:
    """Only what would have been an order is noted as cut."""
    assert read_mail("> Hello\n> A: rais 5", PLAYER).cut == ()


def test_bottom_posted_and_inline_answers_count() -> None:
    """Answers below and between quoted lines are read, a quoted marker does not stop that."""
    text = f"On Monday, GM <gm@example.org> wrote:\n> {MARKER}\n> :: A: fold\nA: stay\n> x\nB: call"
    assert orders(text) == ["A: stay", "B: call"]


@pytest.mark.parametrize(
    "stop",
    [
        MARKER,
        f"**{MARKER}**",
        "=-=-= Reply above\nthis line =-=-=",
        "=-=-=\nReply above this line =-=-=",
        "-- ",
        "--",
        "-----Original Message-----",
        "-----Ursprüngliche Nachricht-----",
        "From: GM <gm@example.org>\nSent: Monday\nTo: Puke\nSubject: Turn 4",
        "*From:* GM\n*Date:* Monday",
        "Von: GM\nGesendet: Montag\nAn: Puke\nBetreff: Zug 4",
        "De : GM\nEnvoyé : lundi\nÀ : Puke\nObjet : tour 4",
        "De: GM\nEnviado el: lunes\nPara: Puke\nAsunto: turno 4",
        "Da: GM\nInviato: lunedì\nA: Puke\nOggetto: turno 4",
        "Van: GM\nVerzonden: maandag\nAan: Puke\nOnderwerp: beurt 4",
        "Od: GM\nWysłano: poniedziałek\nDo: Puke\nTemat: tura 4",
        "De: GM\nEnviado: segunda\nPara: Puke\nAssunto: turno 4",
        "Från: GM\nSkickat: måndag\nTill: Puke\nÄmne: drag 4",
        "From: GM\n\nSubject: Turn 4",
        "Fra: GM\nSendt: 5. maj 2031 21:00",
        "Nimi: GM\nPaikka: York\nOsoite: gm@example.org",
        "件名\uff1aclub\n送信日時\uff1a2031年5月5日",
        "----- Eredeti üzenet -----",
        "Am Montag schrieb Joe:",
        "On 5 May 2031 at 21:00, Joe:",
        "gm@example.org:\n",
        "On Monday, 5 May 2031, GM <gm@example.org>\nthus:",
        "===== Original Message =====",
        "---- On Mon, 05 May 2031 21:00:00 +0100 GM <gm@example.org> wrote ----",
        "---- Am Mo., 05 Mai 2031 21:00:00 +0100 GM schrieb ----",
        "\u12f0\u129e 5 \u121c\u12ed 2031 21:00 GM \u133b\u1348\u1366",
        "GM wrote on 5 May 2031:",
        "On Mon, 5 May 2031 at 21:00, GM<gm@example.org> wrote: Dear Joe, this is turn 4",
        "Am Mo., 5. Mai 2031 um 21:00 Uhr schrieb GM: Lieber Joe, dies ist Zug 4",
        "Von: GM Gesendet: Montag, 5. Mai 2031 21:00 An: Puke Betreff: Zug 4",
        "Fra: GM <gm@example.org> Sendt: 5. maj 2031 Til: Puke Emne: Runde 4",
        "GM <gm@example.org>\n05/05/2031 21:00\n\nTo\nPuke\ncc\n\nSubject\nTurn 4",
        "GM/Work/Example@EXAMPLE\n05.05.2031 21:00:07\nAn\nPuke\nKopie\n\nThema\nZug 4",
    ],
)
def test_nothing_is_read_below(stop: str) -> None:
    """Marker, signature and header block end what is the player's own."""
    reading = read_mail(f"A: fold\n\n{stop}\n\nB: fold", PLAYER)
    assert [line.order.line() for line in reading.lines] == ["A: fold"]
    assert reading.problems == ()
    assert [text for _, text in reading.cut] == ["B: fold"]


@pytest.mark.parametrize(
    "line",
    [
        "From: here to eternity",
        "Subject: your last press",
        "- a Markdown bullet",
        "-----BEGIN PGP SIGNED MESSAGE-----",
        "---",
        "=-=-=-=-=",
        f"> {MARKER}",
        "Am Montag schrieb Joe:\n> Hello",
        "On 5 May 2031 at 21:00, Joe <joe@example.org> wrote:\n> > Hello\n",
        "Orders for Mon 12 May 20:00 BST:",
        "Name: Joe\nClub: York",
        "B: call\nDate: 5 May 2031",
        "--- my orders ---",
        "--- PGP ---",
        "GM wrote to me: nice",
        "On Monday Joe wrote: I give up",
        "Deadline 05/05/2031 21:00\nis it?",
        "Tel: 01904 496000 Fax: 01904 496001",
    ],
)
def test_reading_goes_on_below(line: str) -> None:
    """A lone header, a bullet, a clear-sign line or a quoted marker stops nothing."""
    found = orders(f"A: fold\n{line}\nB: fold")
    assert [one for one in found if one != "B: call"] == ["A: fold", "B: fold"]


def test_what_an_older_mail_orders_otherwise_is_told() -> None:
    """Whatever else was found; what it orders as he does now, and what is marked, is not."""
    text = "A: fold\n\nOd: Joe <joe@example.org>\nKomu: GM\n\nA: fold\nA: stay\nB: call\n> C: fold"
    reading = read_mail(text, PLAYER)
    assert [line.order.line() for line in reading.lines] == ["A: fold"]
    assert reading.told == ((7, "A: stay"), (8, "B: call"), (9, "> C: fold"))
    assert reading.unread == ("A: stay", "B: call", "> C: fold")
    assert read_mail(text.replace("A: fold\n\nOd", "\nOd"), PLAYER).unread[0] == "A: fold"


@pytest.mark.parametrize("line", ["Bob wrote:", "When: 5 May 2031\nWhere: York", "--- PGP ---"])
def test_press_may_say_who_wrote_and_when(line: str) -> None:
    """A head must be surer there."""
    reading = read_mail(f"press: Hello\n{line}\nthat he plays.\nend\nA: fold", PLAYER)
    assert [command.name for command in reading.commands] == ["press"]
    assert [order.order.line() for order in reading.lines] == ["A: fold"]


@pytest.mark.parametrize(
    "line",
    ["A: raise 2*5000", "A: raise 1_000", 'A: raise 2"5000', "A: raise 40*,*000", "A: ra*ise 4000"],
)
def test_marks_inside_a_word_stand(line: str) -> None:
    """A sum is never made from pieces."""
    reading = read_mail(line, PLAYER)
    assert reading.lines == ()
    assert [problem.number for problem in reading.problems] == [1]


@pytest.mark.parametrize(
    "line",
    ["**A:** raise *40,000*.", "*A*: _raise_ `40000`", "A:*raise 40000*", "“A: raise £40,000”"],
)
def test_marks_at_the_edges_of_words_vanish(line: str) -> None:
    """Emphasis and quotation marks are no part of an order."""
    assert orders(line) == ["A: raise 40000"]


def test_end_stops_the_reading() -> None:
    """Nothing below end is read, nor noted."""
    reading = read_mail("A: fold\nEnd.\nB: fold\nC: rais 5", PLAYER)
    assert [line.order.line() for line in reading.lines] == ["A: fold"]
    assert not reading.problems
    assert not reading.cut


def test_commands() -> None:
    """Commands on lines of their own are read, without regard to case and punctuation."""
    text = (
        "HELP!\nstatus.\nOrders\nresend\nrules\nwait\nReady\n- resign\n"
        "holiday 2026-12-20 to 2027-01-03"
    )
    reading = read_mail(text, PLAYER)
    assert [(command.name, command.argument, command.number) for command in reading.commands] == [
        ("help", "", 1),
        ("status", "", 2),
        ("orders", "", 3),
        ("resend", "", 4),
        ("rules", "", 5),
        ("wait", "", 6),
        ("ready", "", 7),
        ("resign", "", 8),
        ("holiday", "2026-12-20 to 2027-01-03", 9),
    ]
    assert reading.problems == ()


def test_command_beside_an_order_is_told() -> None:
    """A command that does not stand alone is not obeyed in silence."""
    reading = read_mail("A: fold; resign", PLAYER)
    assert reading.commands == ()
    assert [problem.line for problem in reading.problems] == ["resign"]


def test_press_and_gm_blocks() -> None:
    """A block's text is kept as written and never read as orders; reading goes on behind it."""
    text = (
        "press: Hello *all*\nA: fold\n\n> quoted cards\nBye\nEND\n"
        "B: stay\n**GM:**\n  C: fold\nend\nC: call"
    )
    reading = read_mail(text, PLAYER)
    assert [line.order.line() for line in reading.lines] == ["B: stay", "C: call"]
    assert [(command.name, command.argument, command.number) for command in reading.commands] == [
        ("press", "Hello *all*\nA: fold\n\nBye", 1),
        ("gm", "  C: fold", 8),
    ]
    assert reading.problems == ()
    assert reading.cut == ((2, "A: fold"), (9, "C: fold"))


@pytest.mark.parametrize("stop", ["", MARKER, "-- ", "From: GM\nTo: Puke"])
def test_press_without_end_is_not_printed(stop: str) -> None:
    """Where end is missing nothing is printed: quoted cards may stand below."""
    reading = read_mail(f"press: Hello\nA: fold\n{stop}\nYour cards: AS AD", PLAYER)
    assert not reading.commands
    assert not reading.lines
    (problem,) = reading.problems
    assert (problem.code, problem.number) == ("not-understood", 1)
    assert reading.cut == ((2, "A: fold"),)


@pytest.mark.parametrize(
    "opening", ["press to Joe, Ann:", "Press to Cat O'Neil:", "press to all :"]
)
def test_what_is_said_in_private_is_no_order(opening: str) -> None:
    """Press to some players is press: what it says of orders is not taken for them."""
    reading = read_mail(f"{opening}\nSay, shall I\nA: fold\nend\nB: stay", PLAYER)
    assert [line.order.line() for line in reading.lines] == ["B: stay"]
    assert [command.name for command in reading.commands] == ["press"]


def test_message_to_the_gm_does_not_end_in_open_press() -> None:
    """A gm block that begins inside an open press goes to the GM alone."""
    reading = read_mail("press: Hello\ngm: secret\nend", PLAYER)
    assert [(command.name, command.argument) for command in reading.commands] == [("gm", "secret")]
    assert [problem.number for problem in reading.problems] == [1]


def test_empty_press_is_told() -> None:
    """A block without text is a problem."""
    reading = read_mail("press:\n\nend", PLAYER)
    assert reading.commands == ()
    assert len(reading.problems) == 1


def test_mark_left_hanging_by_a_wrap() -> None:
    """What a client's wrap tore from its mark is not taken, but told."""
    reading = read_mail("::\nA: fold\nB: stay", PLAYER)
    assert [line.order.line() for line in reading.lines] == ["B: stay"]
    assert [problem.number for problem in reading.problems] == [2]


def test_rest_of_a_marked_line_without_a_table() -> None:
    """Below a marked line an order needs its table, even where there is one table only."""
    reading = read_mail(":: A: raise 40000\nexpose 9C\n\nstay", ONE_TABLE)
    assert [line.order.line() for line in reading.lines] == ["A: stay"]
    assert [problem.number for problem in reading.problems] == [2]


def test_too_many_lines_are_told_once() -> None:
    """Lines beyond 2,000 are not read, and the player is told."""
    reading = read_mail("hi\n" * 2000 + "A: fold\nB: fold", PLAYER)
    assert reading.lines == ()
    assert [problem.number for problem in reading.problems] == [2001]
    assert orders("hi\n" * 1999 + "A: fold\n\n") == ["A: fold"]


def test_too_long_line() -> None:
    """A line of more than 500 characters is told where an order begins it, and else is prose."""
    reading = read_mail("A: fold; " + "x" * 600 + "\n" + "prose " * 200 + "\nB: stay", PLAYER)
    assert [line.order.line() for line in reading.lines] == ["B: stay"]
    assert [problem.number for problem in reading.problems] == [1]


def test_line_ends() -> None:
    """Every kind of line end counts as one; other separators do not free a quoted line."""
    reading = read_mail("A: fold\r\nB: stay\rC: call\n> x\u2028A: stay\x0bB: fold", PLAYER)
    assert [(line.number, line.order.line()) for line in reading.lines] == [
        (1, "A: fold"),
        (2, "B: stay"),
        (3, "C: call"),
    ]


ONE_DUE = Context(PLAYER.hands, PLAYER.neighbours, due=frozenset("B"))


@pytest.mark.parametrize(
    ("text", "lines", "told"),
    [
        ("Table A:\nfold", [], ["", "A: fold"]),
        ("A\n\nraise 20k", [], ["A: raise 20000"]),
        ("Hand A2:\nfol\nHello", [], [""]),
        ("B:\nfold", ["B: fold"], [""]),
        ("A\nC: stay", ["C: stay"], []),
        ("A\nHello\nfold", ["B: fold"], []),
        ("1. fold\n2. stay\n3. raise 5000", [], ["B: fold", "B: stay", "B: raise 5000"]),
        ("- fold", ["B: fold"], []),
        ("1. B: fold\n2. C: stay", ["B: fold", "C: stay"], []),
    ],
)
def test_no_order_is_taken_for_another_table_than_it_is_meant_for(
    text: str, lines: list[str], told: list[str]
) -> None:
    """Where one hand is due a line needs no table, but not below another's, nor as one of many."""
    reading = read_mail(text, ONE_DUE)
    assert [line.order.line() for line in reading.lines] == lines
    assert ["".join(problem.examples) for problem in reading.problems] == told


def test_what_stands_below_its_table_is_told_with_it() -> None:
    """Also where several hands are due, and where there is one table only it is taken."""
    reading = read_mail("Table B:\nraise 20000", PLAYER)
    assert [problem.hands for problem in reading.problems] == [("B1",), ("B1",)]
    assert reading.problems[1].examples == ("B: raise 20000",)
    assert [line.order.line() for line in read_mail("A\n1. fold", ONE_TABLE).lines] == ["A: fold"]

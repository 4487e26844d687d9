"""What is not well is told to the GM once, and once more when it is over."""

from datetime import timedelta

from postal.service.loading import find_game, load_game
from postal.service.outbound.troubles import end_trouble, note_trouble
from postal.service.turns.deadlines import move
from postal.store.rows import TroubleKind
from postal.store.troubles import journal_of, open_troubles
from tests.service.service_league import DEADLINE, GM_BOX, HOUR, MINUTE, SLUG, League, text_of

MAILBOX = "The IMAP server imap.example.org:993 didn't answer within 30 seconds."


def told(league: League) -> list[str]:
    """Return the subjects of all notices to the GM."""
    return [one.subject for one in league.outbox() if one.kind == "gm"]


def test_a_trouble_is_told_once_it_has_lasted(quick: League) -> None:
    """Not at the first sight, and never twice, in whatever words it comes."""
    before = len(told(quick))
    for minutes in (0, 30, 29):
        quick.clock.advance(minutes * MINUTE)
        note_trouble(quick.work, TroubleKind.MAILBOX, MAILBOX, after=HOUR)
        assert len(told(quick)) == before
    for sentence in (MAILBOX, MAILBOX, "The connection was lost."):
        quick.clock.advance(MINUTE)
        note_trouble(quick.work, TroubleKind.MAILBOX, sentence, after=HOUR)
    assert told(quick)[before:] == ["postal: the mailbox can't be read"]


def test_its_end_is_told_to_whom_its_beginning_was(quick: League) -> None:
    """A trouble that nobody was told of ends in silence."""
    before = len(told(quick))
    note_trouble(quick.work, TroubleKind.MAILBOX, MAILBOX, after=HOUR)
    assert end_trouble(quick.work, TroubleKind.MAILBOX)
    assert not end_trouble(quick.work, TroubleKind.MAILBOX)
    assert len(told(quick)) == before
    note_trouble(quick.work, TroubleKind.MAILBOX, MAILBOX)
    quick.clock.advance(2 * HOUR)
    assert end_trouble(quick.work, TroubleKind.MAILBOX)
    assert told(quick)[before:] == [
        "postal: the mailbox can't be read",
        "postal: it is over: the mailbox can't be read",
    ]


def test_a_second_word_comes_where_one_is_asked_for(quick: League) -> None:
    """And no third."""
    before = len(told(quick))
    for _ in range(5):
        note_trouble(quick.work, TroubleKind.UNREAD, "A mail.", about="7", again=12 * HOUR)
        quick.clock.advance(8 * HOUR)
    assert len(told(quick)) == before + 2


def test_a_report_to_the_gm_says_what_is_not_well(dealt: League) -> None:
    """As long as it lasts."""
    note_trouble(dealt.work, TroubleKind.MAILBOX, MAILBOX)
    dealt.play(1)
    reports = [one for one in dealt.outbox() if "GM report, turn 1" in one.subject]
    assert MAILBOX in " ".join(text_of(reports[-1].raw).split())
    end_trouble(dealt.work, TroubleKind.MAILBOX)
    with dealt.database.reading() as session:
        assert not open_troubles(session)


def test_a_moved_deadline_is_told_to_all_and_written_down(dealt: League) -> None:
    """It holds from then on; a second word for the same deadline does nothing."""
    later = DEADLINE + timedelta(days=2)
    assert move(dealt.work, SLUG, 1, later, "outgoing")
    assert not move(dealt.work, SLUG, 1, later, "outgoing")
    assert not move(dealt.work, SLUG, 2, later + HOUR, "outgoing")
    letters = [one for one in dealt.outbox() if one.kind == "deadline"]
    assert sorted(one.player for one in letters) == sorted(dealt.players)
    text = " ".join(text_of(letters[0].raw).split())
    assert "the deadline of turn 1 is moved. It was Monday 9 March 2026" in text
    assert "The deadline is Wednesday 11 March 2026" in text
    with dealt.database.reading() as session:
        game = load_game(session, find_game(session, SLUG))
        (entry,) = journal_of(session, game.id)
    assert game.turn
    assert game.turn.deadline == game.turn.due_at == later
    assert (entry.what, entry.turn, entry.who) == ("deadline", 1, "postal")
    assert GM_BOX not in entry.sentence

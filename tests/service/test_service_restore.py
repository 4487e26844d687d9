"""A backup is made at work and put back: what had gone on is held, and mail is read again."""

from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path

import pytest

from postal.engine.view import view
from postal.errors import PostalError, UsageError
from postal.service.desk.holding import resume
from postal.service.desk.log import game_log
from postal.service.desk.replacing import replace_player
from postal.service.desk.restoring import after_restore, how_all_stood, seen_since
from postal.store.backup import back_up, put_back
from tests.service.people_league import token
from tests.service.service_league import DEADLINE, HOUR, SLUG, League, open_league, text_of

DAY = timedelta(days=1)


def restored(league: League, backup: Path, *, known: bool = True) -> League:
    """Put a backup in the place of a league's database, its mailbox being as it is."""
    url = f"sqlite:///{league.database._writing.url.database}"
    league.database.close()
    before = how_all_stood(url) if known else None
    put_back(url, backup)
    again = open_league(url, now=league.clock.now(), plain=False)
    again.post.folders, again.post.inbox = league.post.folders, league.post.inbox
    again.post.came, again.post._next = league.post.came, league.post._next
    again.post.uidvalidity = league.post.uidvalidity
    again._serial = league._serial
    after_restore(again.work, lambda: nullcontext(again.post), before)
    return again


@pytest.fixture
def backup(dealt: League, tmp_path: Path) -> Path:
    """Return a backup of the game at turn 1, where Ann has ordered."""
    dealt.order("Ann")
    dealt.poll()
    file = tmp_path / "backup.db"
    back_up(f"sqlite:///{tmp_path / 'postal.db'}", file)
    return file


def test_a_backup_is_whole_and_its_owners_alone(backup: Path) -> None:
    """Nothing of it lies in another file, and it takes no earlier one's place."""
    assert backup.stat().st_mode & 0o077 == 0
    assert [path.name for path in backup.parent.glob("backup*")] == ["backup.db"]
    copy = open_league(f"sqlite:///{backup}")
    assert copy.on_file("Ann")
    copy.database.close()
    with pytest.raises(UsageError, match="is there already"):
        back_up(f"sqlite:///{backup.parent / 'postal.db'}", backup)


def test_mail_that_came_since_is_read_again(dealt: League, backup: Path) -> None:
    """The game hadn't gone on: it isn't held, and all is on file as it was."""
    dealt.order_all("Ann", "Fay")
    dealt.poll()
    again = restored(dealt, backup)
    assert again.on_file("Ann")
    assert not again.on_file("Bob")
    again.poll()
    for player in ("Ann", "Bob", "Cat", "Dan", "Eve"):
        assert again.on_file(player), player
    assert not again.on_file("Fay")
    assert again.loaded().row.hold_since is None
    # What the backup has was not read twice.
    assert len(again.mails()) == 5
    again.database.close()


def test_a_game_that_had_gone_on_is_held_and_plays_the_turn_again(
    dealt: League, backup: Path
) -> None:
    """By the same mails it comes to the same; an answer to the lost report orders nothing."""
    dealt.order_all("Ann")
    dealt.poll()
    dealt.clock.advance(HOUR)
    assert len(dealt.due()) == 1
    dealt.send()
    after = dealt.game
    dealt.order("Bob")
    dealt.poll()
    lost = dealt.mail("Cat", "wait\n")

    again = restored(dealt, backup)
    row = again.loaded().row
    assert (row.hold_since is not None, row.hold_why) == (True, "restore")
    (told,) = again.outbox("Ann", "hold")
    assert "put back from a backup" in told.subject
    again.poll()
    assert all(again.on_file(player) for player in again.players)
    assert again.game.turn == 1
    (late,) = again.outbox("Bob", "late")
    assert "turn 2 was taken back" in late.subject
    with again.database.reading() as session:
        seen = seen_since(session, again.loaded().row)
    assert "turn 1 (Ann, Bob, Cat, Dan, Eve, Fay)" in seen[0]
    assert seen[1:] == ("Bob has answered a report that asked for turn 2.",)

    again.clock.move_to(DEADLINE + DAY)
    again.poll()
    assert again.due() == ()
    resume(again.work, SLUG)
    again.clock.advance(HOUR)
    again.poll()
    assert len(again.due()) == 1
    assert again.game == after
    # The lost turn 2's token stays void in the new one, whose own is another.
    again.post.deliver(lost)
    again.poll()
    assert "taken back" in again.outbox("Cat", "late")[-1].subject
    loaded = again.loaded()
    token = again.work.token(loaded.row, 2, loaded.seat("Bob").seat)
    (lines, *_) = (item.examples for item in view(again.game, "Bob").due)
    again.write("Bob", lines[0], token=token)
    again.poll()
    assert again.on_file("Bob")
    assert [one["what"] for one in game_log(again.work, SLUG)].count("restore") == 1
    again.database.close()


def test_where_nobody_knows_every_game_is_held(dealt: League, backup: Path) -> None:
    """As where the machine is lost, and with it the database."""
    again = restored(dealt, backup, known=False)
    row = again.loaded().row
    assert row.hold_why == "restore"
    with again.database.reading() as session:
        assert "isn't known" in seen_since(session, row)[0]
    assert "Please look below" in text_of(again.outbox("Ann", "hold")[0].raw)
    again.database.close()


def test_what_is_no_backup_changes_nothing(dealt: League, tmp_path: Path) -> None:
    """Neither text, nor another program's database, nor the database itself, nor nothing."""
    url, database = f"sqlite:///{tmp_path / 'postal.db'}", tmp_path / "postal.db"
    wrong = tmp_path / "wrong.db"
    wrong.write_text("no database " * 1000)
    before = database.read_bytes()
    for file in (wrong, database, tmp_path / "nowhere.db"):
        with pytest.raises(PostalError):
            put_back(url, file)
    assert database.read_bytes() == before
    assert not list(tmp_path.glob("*restoring*"))
    with pytest.raises(UsageError, match="pg_dump"):
        back_up("postgresql://somewhere/postal", tmp_path / "new.db")
    assert dealt.game.turn == 1


def test_what_the_gm_did_since_is_told_and_the_game_held(dealt: League, backup: Path) -> None:
    """The seat is its former holder's again, though the turn is the same: he decides on it."""
    replace_player(dealt.work, SLUG, "Bob", "Sue", "sue@example.net")
    again = restored(dealt, backup)
    row = again.loaded().row
    assert row.hold_why == "restore"
    assert again.loaded().seat("Bob").person.name == "Bob"
    with again.database.reading() as session:
        (told,) = seen_since(session, row)
    assert "is lost: The seat of Bob, held by Bob, goes to Sue." in told
    again.database.close()


def test_a_former_holder_is_answered_after_a_restore(dealt: League, backup: Path) -> None:
    """Though tokens have far higher numbers by then: not all of them are made for his mail."""
    again = restored(dealt, backup, known=False)
    old = token(again, "Ann")
    replace_player(again.work, SLUG, "Ann", "Sue", "sue@example.net")
    again.write("Ann", "status\n", token=old)
    again.poll()
    (told,) = again.outbox("", "former")
    assert told.recipient == "ann@example.org"
    again.database.close()

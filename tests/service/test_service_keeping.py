"""Keeping and forgetting: what goes so many days after a game's end, and what never does."""

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update
from sqlmodel import col, select

from postal.config import Keep
from postal.errors import PostalError
from postal.resources import CRASH, games_path
from postal.service.desk import keeping
from postal.service.desk.keeping import (
    LETTERS,
    LOGS,
    MAILS,
    PURGED_AT,
    Share,
    let_go,
    let_go_daily,
    would_go,
)
from postal.service.desk.mails import list_mails, show_mail
from postal.service.desk.mails_again import handle_again
from postal.service.desk.messages import abandon
from postal.service.outbound.delivery import requeue
from postal.service.records.export import export_game
from postal.service.records.record import differences, read_record, replay
from postal.service.records.verify import verify_game
from postal.service.ticks import Rounds
from postal.store.rows import METADATA, MailRow, MailStatus, OutboxRow, OutboxState
from postal.store.settings import replace_setting
from tests.service.service_ended import DAY
from tests.service.service_league import SLUG, League

LEAST = Keep(raw_mail=30, letters=30, logs=30)
FOREVER = Keep(raw_mail=0, letters=0, logs=0)


def everything(league: League) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of all tables."""
    with league.database.reading() as session:
        return {
            table.name: [tuple(row) for row in session.connection().execute(table.select())]
            for table in METADATA.sorted_tables
        }


def kept(league: League) -> tuple[int, int]:
    """Return how many mails and letters still have their bytes."""
    mails = [mail for mail in league.mails() if mail.raw is not None]
    return len(mails), len([letter for letter in league.outbox() if letter.raw is not None])


def number(shares: Sequence[Share], kind: str, game: str = SLUG) -> int:
    """Return how many of a kind and a game went."""
    return sum(share.count for share in shares if (share.kind, share.game) == (kind, game))


def crash(folder: Path, league: League) -> Path:
    """Write a file about a crash of this moment."""
    file = folder / (league.clock.now().strftime(CRASH) + "abc.txt")
    file.write_text("where it happened")
    return file


def test_nothing_of_a_game_goes_within_thirty_days_of_its_end(
    ended: League, tmp_path: Path
) -> None:
    """A moment before nothing does, then all at once but for what is held."""
    file = crash(tmp_path, ended)
    before = everything(ended)
    ended.clock.advance(30 * DAY - timedelta(seconds=1))
    shares = let_go(ended.work, LEAST, tmp_path)
    assert {share.game for share in shares} <= {""}
    with_game = [letter for letter in ended.outbox() if letter.game_id]
    assert all(letter.raw is not None for letter in with_game)
    assert all(mail.raw is not None for mail in ended.mails() if mail.seat_id)
    assert everything(ended)["turns"] == before["turns"]
    assert file.exists()
    ended.clock.advance(timedelta(seconds=1))
    shares = let_go(ended.work, LEAST, tmp_path)
    mails = [mail for mail in ended.mails() if mail.seat_id]
    assert number(shares, MAILS) == len(mails) - 1 > 5
    assert number(shares, LETTERS) == len(with_game) > 20
    assert [mail.status for mail in mails if mail.raw is not None] == [MailStatus.QUARANTINED]
    assert file.exists(), "it is of the last moment"
    ended.clock.advance(timedelta(seconds=1))
    assert let_go(ended.work, LEAST, tmp_path) == (Share(LOGS, "", 1, len("where it happened")),)
    assert not file.exists()


def test_a_game_in_play_loses_nothing_ever(ended: League, tmp_path: Path) -> None:
    """Nor does the log of its time, however long it lasts."""
    earlier = crash(tmp_path, ended)
    ended.clock.advance(DAY)
    ended.begin("other")
    ended.write("Bob", "A: fold\n", slug="other")
    ended.poll()
    ended.send()
    later = crash(tmp_path, ended)
    ended.clock.advance(2000 * DAY)
    shares = let_go(ended.work, LEAST, tmp_path)
    assert {share.game for share in shares} == {SLUG, ""}
    assert all(letter.raw is not None for letter in ended.outbox(slug="other"))
    assert ended.mails()[-1].raw is not None
    assert (earlier.exists(), later.exists()) == (False, True)


def test_a_dry_run_tells_what_goes_and_changes_nothing(ended: League, tmp_path: Path) -> None:
    """And it tells the truth."""
    file = crash(tmp_path, ended)
    ended.clock.advance(91 * DAY)
    before = everything(ended)
    told = would_go(ended.work, Keep(), tmp_path)
    assert everything(ended) == before
    assert file.exists()
    sizes = {
        MAILS: sum(len(mail.raw or b"") for mail in ended.mails() if mail.status != "quarantined"),
        LETTERS: sum(len(letter.raw or b"") for letter in ended.outbox()),
    }
    for kind, size in sizes.items():
        assert sum(share.size for share in told if share.kind == kind) == size
    assert let_go(ended.work, Keep(), tmp_path) == told
    assert would_go(ended.work, Keep(), tmp_path) == ()
    after = everything(ended)
    assert {name for name in before if before[name] != after[name]} == {"inbox", "outbox"}
    assert [len(after[name]) for name in after] == [len(before[name]) for name in before]


def test_all_goes_though_more_than_one_batch(
    ended: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each batch in a transaction of its own."""
    ended.clock.advance(91 * DAY)
    told = would_go(ended.work, Keep(), tmp_path)
    monkeypatch.setattr(keeping, "_BATCH", 3)
    assert let_go(ended.work, Keep(), tmp_path) == told
    assert kept(ended) == (1, 0)


def test_what_is_kept_for_ever_stays(ended: League, tmp_path: Path) -> None:
    """Each kind by its own figure."""
    file = crash(tmp_path, ended)
    ended.clock.advance(5000 * DAY)
    assert would_go(ended.work, FOREVER, tmp_path) == ()
    only = Keep(raw_mail=0, letters=30, logs=0)
    assert {share.kind for share in let_go(ended.work, only, tmp_path)} == {LETTERS}
    assert file.exists()


def test_what_belongs_to_no_game_goes_by_its_own_age(ended: League, tmp_path: Path) -> None:
    """While a game is in play too."""
    ended.begin("other")
    ended.write("Stranger", "Hello\n", token="")
    ended.poll()
    stranger = ended.mails()[-1]
    assert (stranger.seat_id, stranger.game_id) == (None, None)
    ended.clock.advance(29 * DAY)
    let_go(ended.work, LEAST, tmp_path)
    assert ended.mails()[-1].raw is not None
    ended.clock.advance(DAY)
    let_go(ended.work, LEAST, tmp_path)
    assert ended.mails()[-1].raw is None


@pytest.mark.parametrize("status", [MailStatus.NEW, MailStatus.QUARANTINED])
def test_a_mail_that_is_still_to_be_dealt_with_stays(
    ended: League, tmp_path: Path, status: MailStatus
) -> None:
    """However old it is."""
    with ended.database.transaction() as session:
        session.exec(update(MailRow).values(status=status))
    ended.clock.advance(5000 * DAY)
    assert MAILS not in {share.kind for share in let_go(ended.work, LEAST, tmp_path)}


@pytest.mark.parametrize("state", [OutboxState.QUEUED, OutboxState.UNKNOWN, OutboxState.SENDING])
def test_a_letter_that_is_still_to_go_stays(
    ended: League, tmp_path: Path, state: OutboxState
) -> None:
    """However old it is."""
    with ended.database.transaction() as session:
        session.exec(update(OutboxRow).values(state=state))
    ended.clock.advance(5000 * DAY)
    assert LETTERS not in {share.kind for share in let_go(ended.work, LEAST, tmp_path)}


def test_afterwards_the_game_verifies_exports_and_replays_as_before(
    ended: League, tmp_path: Path
) -> None:
    """Nothing of the record was in the mails."""
    before = export_game(ended.work, SLUG)
    ended.clock.advance(91 * DAY)
    let_go(ended.work, Keep(), tmp_path)
    turns, found = verify_game(ended.work, SLUG)
    assert (turns > 3, found) == (True, ())
    assert export_game(ended.work, SLUG) == before
    record = read_record(json.loads(before), games_path(Path("nowhere")))
    assert differences(record.outcome or {}, replay(record).outcome) == ()


def test_a_copy_of_an_old_mail_is_still_known(ended: League, tmp_path: Path) -> None:
    """It does nothing, and nobody is answered."""
    first = next(mail for mail in ended.mails() if mail.status is MailStatus.DONE)
    raw, evidence = first.raw or b"", everything(ended)["order_log"]
    ended.clock.advance(91 * DAY)
    let_go(ended.work, Keep(), tmp_path)
    written = len(ended.outbox())
    ended.post.deliver(raw)
    ended.poll()
    copy = ended.mails()[-1]
    assert (copy.status, copy.reason) == (MailStatus.DONE, f"a copy of mail {first.id}")
    assert len(ended.outbox()) == written
    assert everything(ended)["order_log"] == evidence


def test_of_a_mail_that_is_gone_the_gm_is_told_so(ended: League, tmp_path: Path) -> None:
    """Its row tells the rest."""
    refused = next(mail for mail in ended.mails() if "0 orders" in mail.reason)
    ended.clock.advance(91 * DAY)
    let_go(ended.work, Keep(), tmp_path)
    shown = show_mail(ended.work, refused.id or 0, reveal=True)
    assert (shown["unreadable"], shown["reason"]) == ("its text is no longer kept", refused.reason)
    assert shown["size"] == refused.size
    assert shown["from"] == refused.sender_key
    assert any(row["id"] == refused.id for row in list_mails(ended.work, ["done"]))
    with pytest.raises(PostalError, match=f"Mail {refused.id} can't be handled again: its text"):
        handle_again(ended.work, refused.id or 0)


def test_a_letter_that_is_gone_is_not_sent_again(ended: League, tmp_path: Path) -> None:
    """Named, that is told; of all that failed it is left out."""
    (failed,) = (letter for letter in ended.outbox() if letter.state is OutboxState.FAILED)
    ended.clock.advance(91 * DAY)
    let_go(ended.work, Keep(), tmp_path)
    with pytest.raises(PostalError, match=f"Mail {failed.id} can't be sent again: its text"):
        requeue(ended.work, [failed.id or 0])
    assert requeue(ended.work).count == 0


def test_a_letter_without_its_body_never_reaches_a_server(ended: League, tmp_path: Path) -> None:
    """Whoever queued it: it fails, and the rest goes."""
    ended.clock.advance(91 * DAY)
    let_go(ended.work, Keep(), tmp_path)
    written = len(ended.outbox())
    with ended.database.transaction() as session:
        session.exec(update(OutboxRow).where(col(OutboxRow.id) == 1).values(state="queued"))
    done = ended.send()
    assert (done.sent, done.failed, ended.post.sent) == (0, 1, [])
    first = ended.outbox()[0]
    assert (first.state, first.last_text) == (OutboxState.FAILED, "its text is no longer kept")
    assert len(ended.outbox()) == written, "there is nothing that the GM could do"


def test_what_is_gone_is_in_the_file_no_more(ended: League, tmp_path: Path) -> None:
    """Not even in pages that are free to be written over."""
    stranger = b"Hello, is Quentin there?"
    assert stranger in (tmp_path / "postal.db").read_bytes()
    ended.clock.advance(91 * DAY)
    let_go(ended.work, Keep(), tmp_path)
    ended.database.close()
    files = [file.read_bytes() for file in tmp_path.glob("postal.db*")]
    assert not any(stranger in content for content in files)


def test_it_is_done_once_a_day(ended: League, tmp_path: Path) -> None:
    """By whatever process; one that was away does it when it is back."""
    ended.clock.advance(91 * DAY)
    assert let_go_daily(ended.work, Keep(), tmp_path)
    assert let_go_daily(ended.work, Keep(), tmp_path) is None
    ended.clock.advance(DAY - timedelta(seconds=1))
    assert let_go_daily(ended.reborn().work, Keep(), tmp_path) is None
    ended.clock.advance(timedelta(seconds=1))
    assert let_go_daily(ended.reborn().work, Keep(), tmp_path) == ()
    assert let_go_daily(ended.work, Keep(), tmp_path) is None
    ended.clock.advance(40 * DAY)
    assert let_go_daily(ended.reborn().work, Keep(), tmp_path) == ()


def test_a_clock_that_was_once_far_ahead_puts_nothing_off(ended: League, tmp_path: Path) -> None:
    """The day that it noted is not waited for."""
    with ended.database.transaction() as session:
        assert replace_setting(session, PURGED_AT, None, "2099-01-01T00:00:00+00:00")
    ended.clock.advance(91 * DAY)
    assert let_go_daily(ended.work, Keep(), tmp_path)


def test_of_two_processes_that_saw_the_same_day_one_does_it(ended: League) -> None:
    """The other finds the day changed."""
    with ended.database.transaction() as session:
        assert replace_setting(session, PURGED_AT, None, "monday")
        assert replace_setting(session, PURGED_AT, "monday", "tuesday")
    with ended.database.transaction() as session:
        assert not replace_setting(session, PURGED_AT, "monday", "tuesday")


def test_the_daemon_does_it_in_its_rounds(ended: League, tmp_path: Path) -> None:
    """With the log saying how much."""
    went: list[object] = []

    def tidy() -> object:
        went.append(let_go_daily(ended.work, Keep(), tmp_path))
        return went[-1]

    rounds = Rounds(ended.work, lambda: ended.post, ended.post, None, tidy)
    ended.clock.advance(91 * DAY)
    rounds.round()
    rounds.round()
    assert kept(ended) == (1, 0)
    assert went[1:] == [None]


def test_a_file_that_cannot_be_deleted_holds_up_no_mail(ended: League, tmp_path: Path) -> None:
    """It is told, and all the rest has gone."""
    crash(tmp_path, ended).unlink()
    crash_name = ended.clock.now().strftime(CRASH) + "abc.txt"
    (tmp_path / crash_name).mkdir()
    ended.clock.advance(91 * DAY)
    with pytest.raises(PostalError, match=crash_name):
        let_go(ended.work, Keep(), tmp_path)
    assert kept(ended) == (1, 0)


def test_other_files_of_the_folder_stay(ended: League, tmp_path: Path) -> None:
    """Only what a crash wrote is known by its name."""
    names = ["crash-notes.txt", "crash-2020-01-01.txt", "crash-20200101T000000Z.txt", "notes.txt"]
    for name in names:
        (tmp_path / name).write_text("mine")
    (tmp_path / "crash-20200101T000000Z-x1.txt").write_text("postal's")
    ended.clock.advance(91 * DAY)
    assert number(let_go(ended.work, Keep(), tmp_path), LOGS, "") == 1
    assert sorted(file.name for file in tmp_path.glob("*.txt")) == sorted(names)


def test_no_mail_is_lost_that_came_to_a_game_long_over(ended: League, tmp_path: Path) -> None:
    """Its own age counts as well."""
    ended.clock.advance(100 * DAY)
    ended.write("Bob", "A: fold\n")
    ended.poll()
    let_go(ended.work, Keep(), tmp_path)
    with ended.database.reading() as session:
        last = session.exec(select(MailRow).order_by(col(MailRow.id).desc()).limit(1)).one()
    assert last.seat_id is not None
    assert last.raw is not None


def test_of_a_game_that_was_given_up_things_go_as_of_one_that_is_over(
    dealt: League, tmp_path: Path
) -> None:
    """Thirty days after its end."""
    dealt.order_all()
    dealt.poll()
    dealt.send()
    abandon(dealt.work, SLUG, "Too few of us.")
    dealt.send()
    dealt.clock.advance(30 * DAY)
    shares = let_go(dealt.work, LEAST, tmp_path)
    assert number(shares, MAILS) == 6
    assert kept(dealt) == (0, 0)

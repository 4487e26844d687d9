"""The mailbox against a server that breaks at every command, in every way; and waiting in IDLE."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from postal.mail.connection import MailboxUnavailable
from postal.mail.idling import wait_for_mail
from postal.mail.imap import FOLDERS, PROCESSED, ImapSettings, Mailbox
from tests.mail.faulty import AFTER, BYE, DROP, EVERYTHING, HOST, LOST, STALL, FaultyImap

AT = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
RAW = b"Subject: orders\r\n\r\nA: fold\r\n"


def settings(server: FaultyImap, timeout: float = 5) -> ImapSettings:
    """Return how to reach a server."""
    return ImapSettings(
        host=HOST, port=server.port, user="gm", password="s3cret", security="plain", timeout=timeout
    )


def use_everything(server: FaultyImap, timeout: float = 5) -> None:
    """Do all that rounds do with a mailbox, once."""
    with Mailbox(settings(server, timeout)) as mailbox:
        mailbox.ensure_folders()
        for uid in mailbox.new_uids():
            mailbox.fetch(uid)
            mailbox.move([uid], PROCESSED)
        mailbox.idle(0)


def complaint(server: FaultyImap, timeout: float) -> str:
    """Return what ``use_everything`` complains of, "" for nothing."""
    try:
        use_everything(server, timeout)
    except MailboxUnavailable as error:
        return f"{error} {error.__cause__}"
    return ""


def steps(capabilities: str) -> list[str]:
    """Return the commands of ``use_everything``, in their order."""
    with FaultyImap(capabilities) as server:
        server.deliver(RAW, AT)
        use_everything(server)
        return list(server.heard)


NEITHER = EVERYTHING.replace(" MOVE UIDPLUS", "")
WAYS = [(EVERYTHING, how) for how in (DROP, LOST, BYE, AFTER, STALL, "BAD what?")]
WAYS += [(NEITHER, how) for how in (DROP, LOST, BYE)]


@pytest.mark.parametrize(("capabilities", "how"), WAYS)
def test_a_fault_at_any_command_is_one_exception_and_no_end(capabilities: str, how: str) -> None:
    """The mailbox is unavailable, no secret is told, and a new connection gets on."""
    for number, name in enumerate(steps(capabilities)):
        if capabilities == NEITHER and name not in ("UID COPY", "UID STORE", "EXPUNGE"):
            continue
        with FaultyImap(capabilities) as server:
            server.deliver(RAW, AT)
            server.break_at(number, how)
            # Nobody minds a lost farewell, after the last answer nothing more is asked, and where
            # IDLE is refused the mailbox is polled.
            unheard = name == "LOGOUT" or (name, how) in (("DONE", AFTER), ("IDLE", "BAD what?"))
            told = complaint(server, 0.15 if how == STALL else 5)
            assert (told == "") is unheard, name
            assert "s3cret" not in told, name
            assert server.heard[number] == name
            server.mend()
            use_everything(server)
            assert not server.inbox, name
            assert RAW in server.folders[PROCESSED], name


@pytest.mark.parametrize("missing", ["IDLE", "MOVE", "UIDPLUS", "NAMESPACE", "MOVE UIDPLUS"])
def test_a_server_that_lacks_something_is_asked_for_nothing_of_it(missing: str) -> None:
    """All the rest is done with what there is."""
    has = " ".join(word for word in EVERYTHING.split() if word not in missing.split())
    names = steps(has)
    for word in missing.split():
        assert word not in names
    assert ("UID MOVE" in names) is ("MOVE" in has)
    assert ("UID EXPUNGE" in names) is ("MOVE" not in has and "UIDPLUS" in has)
    assert ("EXPUNGE" in names) is (missing == "MOVE UIDPLUS")


@pytest.mark.parametrize("capabilities", [EVERYTHING, NEITHER])
def test_a_mail_that_another_program_removed_is_no_fault(capabilities: str) -> None:
    """It is None when asked for, and nothing when moved; the connection stays."""
    with FaultyImap(capabilities) as server, Mailbox(settings(server)) as mailbox:
        mailbox.ensure_folders()
        uid = server.deliver(RAW, AT)
        assert mailbox.new_uids() == (uid,)
        server.inbox.clear()
        assert mailbox.size(uid) is None
        assert mailbox.fetch(uid) is None
        mailbox.move([uid], PROCESSED)
        assert server.folders == {name: [] for name in FOLDERS}
        assert server.heard.count("GREETING") == 1


def test_a_new_uidvalidity_is_seen_at_the_next_look() -> None:
    """So no UID of old is taken for one of now."""
    with FaultyImap() as server, Mailbox(settings(server)) as mailbox:
        server.deliver(RAW, AT)
        mailbox.new_uids()
        old = mailbox.uidvalidity
        server.renumber()
        assert mailbox.idle(60), "this wakes the poll as well"
        mailbox.new_uids()
        assert mailbox.uidvalidity != old


@pytest.fixture
def quick_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask whoever waits every few milliseconds."""
    monkeypatch.setattr("postal.mail.idling.SLICE_SECONDS", 0.01)


class Steps:
    """A ``stop`` that does one thing each time it is asked, and is true after the last."""

    def __init__(self, *things: Callable[[], object]) -> None:
        """Take the things to do."""
        self.things = list(things)

    def __call__(self) -> bool:
        """Do the next."""
        if self.things:
            self.things.pop(0)()
            return False
        return True


def nothing() -> None:
    """Do nothing."""


@pytest.mark.usefixtures("quick_slices")
def test_idle_ends_when_it_is_called_off() -> None:
    """After one more slice, and the connection is good for the next command."""
    with FaultyImap() as server, Mailbox(settings(server)) as mailbox:
        stop = Steps(nothing, nothing)
        assert not mailbox.idle(500, stop)
        assert not stop.things
        assert mailbox.new_uids() == ()


@pytest.mark.usefixtures("quick_slices")
def test_idle_wakes_for_mail_and_for_nothing_else() -> None:
    """Servers say that they are still there, and how many mails there are; that is no mail."""
    with FaultyImap() as server, Mailbox(settings(server)) as mailbox:
        for _ in range(2):
            server.deliver(RAW, AT)
        mailbox.new_uids()
        said = [b"* OK Still here\r\n", b"* 2 EXISTS\r\n", b"* 1 FETCH (FLAGS (\\Seen))\r\n"]
        stop = Steps(*(lambda line=line: server.say(line) for line in said), nothing)
        assert not mailbox.idle(500, stop)
        assert not stop.things
        assert mailbox.idle(
            500, Steps(lambda: server.say(b"* 1 EXPUNGE\r\n* 2 EXISTS\r\n"), nothing)
        )
        assert mailbox.idle(500, Steps(lambda: server.deliver(RAW, AT), nothing))


def test_mail_that_comes_between_poll_and_idle_is_not_slept_through() -> None:
    """A server tells of it once, which may be with the answer to the poll's last command."""
    with FaultyImap() as server, Mailbox(settings(server)) as mailbox:
        mailbox.new_uids()
        server.deliver(RAW, AT)
        assert mailbox.idle(500)
        assert "IDLE" not in server.heard
        mailbox.new_uids()
        assert not mailbox.idle(0)


@pytest.mark.parametrize("how", ["cut", "bye", "cut after bye"])
def test_a_connection_lost_in_idle_is_found_at_once(how: str) -> None:
    """Not after nine minutes: an empty answer that comes at once is none."""
    with FaultyImap() as server:
        mailbox = Mailbox(settings(server)).__enter__()

        def break_it() -> None:
            if "bye" in how:
                server.say(b"* BYE closing\r\n")
            if "cut" in how:
                server.cut()

        with pytest.raises(MailboxUnavailable, match=r"was lost|BYE"):
            mailbox.idle(540, Steps(break_it, *[nothing] * 2000))
        with pytest.raises(MailboxUnavailable, match="is closed"):
            mailbox.idle(540)


@pytest.mark.usefixtures("quick_slices")
def test_the_end_of_idle_on_a_dead_line_takes_the_timeout() -> None:
    """And no longer: DONE goes out and no answer comes."""
    with FaultyImap() as server:
        server.break_always("DONE", STALL)
        mailbox = Mailbox(settings(server, 0.15)).__enter__()
        with pytest.raises(MailboxUnavailable, match=r"didn't answer within 0\.15 seconds"):
            mailbox.idle(500, lambda: True)


def test_idle_is_renewed_before_ten_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was asked for."""
    waited: list[float] = []

    def nothing_comes(*asked: object) -> tuple[list[object], list[object], list[object]]:
        waited.append(float(str(asked[-1])))
        return [], [], []

    class Client:
        def begin_idle(self) -> list[bytes]:
            """Begin."""
            return []

        def idle_check(self, timeout: float) -> list[tuple[Any, ...]]:
            """Be told of nothing."""
            del timeout
            return []

        def socket(self) -> Any:
            """Return what is never read."""

        def idle_done(self) -> tuple[bytes, list[tuple[Any, ...]]]:
            """End."""
            return b"", []

    monkeypatch.setattr("postal.mail.idling.select.select", nothing_comes)
    assert not wait_for_mail(Client(), 0, 3600, lambda: False)
    assert 500 < sum(waited) < 600

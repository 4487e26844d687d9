"""Each way to log in that the config knows, through to the login itself."""

import base64
import sys
from pathlib import Path

import pytest

from postal.bootstrap import imap_settings, smtp_settings
from postal.config import load_config
from postal.mail.connection import MailboxUnavailable
from postal.mail.imap import Mailbox
from postal.mail.smtp import Sender
from tests.mail.faulty import HOST, FaultyImap, FaultySmtp

SECRET = "s3cret"


def write(folder: Path, imap: FaultyImap, smtp: FaultySmtp, login: str) -> None:
    """Write a config that logs in to both servers in one way."""
    config = f"""
[gm]
name = "Grace"
address = "gm@example.org"
[imap]
host = "{HOST}"
port = {imap.port}
security = "plain"
user = "gm"
{login}
[smtp]
host = "{HOST}"
port = {smtp.port}
security = "plain"
"""
    (folder / "config.toml").write_text(config, "utf-8")


def plain(line: str) -> str:
    """Return what an AUTH PLAIN or XOAUTH2 command says."""
    return base64.b64decode(line.rsplit(maxsplit=1)[-1]).decode()


@pytest.mark.parametrize(
    "login",
    [
        f'password = "{SECRET}"',
        'password_env = "THE_PASSWORD"',
        'password_file = "password"',
        f"password_command = '{sys.executable} print.py'",
    ],
)
def test_a_password_from_wherever_logs_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, login: str
) -> None:
    """In the config, in the environment, in a file, or from a command: at both servers."""
    monkeypatch.setenv("THE_PASSWORD", SECRET)
    (tmp_path / "password").write_text(f"{SECRET}\nand more\n", "utf-8")
    (tmp_path / "print.py").write_text(f"print({SECRET!r})", "utf-8")
    with FaultyImap() as imap, FaultySmtp() as smtp:
        write(tmp_path, imap, smtp, login)
        config = load_config(tmp_path)
        with Mailbox(imap_settings(config)) as mailbox, Sender(smtp_settings(config)) as sender:
            assert mailbox.new_uids() == ()
            sender.check()
        (said,) = (line for line in imap.lines if " LOGIN " in line)
        assert said.split(" ", 1)[1] == f'LOGIN gm "{SECRET}"'
        (said,) = (line for line in smtp.lines if line.startswith("AUTH PLAIN"))
        assert plain(said) == f"\0gm\0{SECRET}"
        assert SECRET not in repr(imap_settings(config)) + repr(config)


def test_a_token_command_is_asked_at_each_login(tmp_path: Path) -> None:
    """XOAUTH2 at both servers, with a token of now."""
    (tmp_path / "count").write_text("", "utf-8")
    program = """
with open("count", "a+") as file:
    file.write("x")
    file.seek(0)
    print("token-" + str(len(file.read())))
"""
    (tmp_path / "print.py").write_text(program, "utf-8")
    with FaultyImap() as imap, FaultySmtp() as smtp:
        write(tmp_path, imap, smtp, f"token_command = '{sys.executable} print.py'")
        config = load_config(tmp_path)
        for _ in range(2):
            with Mailbox(imap_settings(config)) as mailbox:
                assert mailbox.new_uids() == ()
        with Sender(smtp_settings(config)) as sender:
            sender.check()
        tokens = [plain(line) for line in imap.lines if line.startswith("dXNlcj1nbQ")]
        tokens += [plain(line) for line in smtp.lines if line.startswith("AUTH XOAUTH2")]
        expected = [f"user=gm\1auth=Bearer token-{number}\1\1" for number in (1, 2, 3)]
        assert tokens == expected


def test_a_token_command_that_fails_is_one_sentence(tmp_path: Path) -> None:
    """Which names the setting, and nothing that the command printed."""
    (tmp_path / "print.py").write_text(f"import sys; sys.exit({SECRET!r})", "utf-8")
    with FaultyImap() as imap, FaultySmtp() as smtp:
        write(tmp_path, imap, smtp, f"token_command = '{sys.executable} print.py'")
        config = load_config(tmp_path)
        with pytest.raises(MailboxUnavailable, match=r"^imap\.token_command failed: .*") as caught:
            Mailbox(imap_settings(config)).__enter__()
        with Sender(smtp_settings(config)) as sender:
            result = sender.send(b"\r\n", "ann@example.org", "gm@example.org")
        assert (result.state, result.about_us) == ("retry", True)
        assert "token_command failed" in result.text
        assert SECRET not in f"{caught.value} {result}"

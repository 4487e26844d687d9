"""The config: what it takes, where passwords come from, and one sentence for each mistake."""

import re
import tomllib
from pathlib import Path

import pytest

from postal.config import Config, ConfigError, load_config
from postal.resources import example_config

GOOD = """
[gm]
name = "Gemma"
address = "gm@example.org"
[imap]
host = "imap.example.org"
user = "gm"
password = "hunter2"
[smtp]
host = "smtp.example.org"
"""


def write(folder: Path, text: str) -> Path:
    """Put a config into a data folder and return the folder."""
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return folder


def load(folder: Path, text: str) -> Config:
    """Load a config of that text."""
    return load_config(write(folder, text))


def complaint(folder: Path, text: str) -> str:
    """Return what is said of a config that can't be right, without the file's name."""
    with pytest.raises(ConfigError) as caught:
        load(folder, text)
    assert "hunter2" not in str(caught.value)
    return str(caught.value).replace(f"{folder / 'config.toml'}: ", "")


def password(config: Config) -> str:
    """Return the mailbox's password in clear."""
    found = config.imap_login().password
    assert found is not None
    return found.get_secret_value()


def test_the_least_config_has_sensible_defaults(tmp_path: Path) -> None:
    """Ports follow the security, SMTP logs in as IMAP does, games lie in the data folder."""
    config = load(tmp_path, GOOD)
    assert (config.imap.port_used(), config.smtp.port_used()) == (993, 465)
    assert config.sender == "gm@example.org"
    assert config.smtp_login() == config.imap_login()
    assert config.database_url == f"sqlite:///{tmp_path}/postal.sqlite3"
    assert (config.game.turn_length, config.game.hour, config.game.settle) == ("7", 20, 30)
    assert (config.keep.raw_mail, config.keep.letters, config.keep.logs) == (90, 90, 90)
    assert config.folder == tmp_path


def test_the_example_loads_as_it_is(tmp_path: Path) -> None:
    """What `postal init` lays down is a valid config."""
    load(tmp_path, example_config().read_text(encoding="utf-8"))


def test_the_example_shows_every_key_and_every_default(tmp_path: Path) -> None:
    """Each commented setting loads when uncommented, and none is forgotten."""
    text = example_config().read_text(encoding="utf-8")
    # Of the ways to log in a server takes one, so all but the password stay out of the text.
    one_login = re.sub(r"(?m)^#(password_\w+|token_command).*\n", "", text)
    config = load(tmp_path, re.sub(r"(?m)^#(?=\w)", "", one_login))
    shown = tomllib.loads(re.sub(r"(?m)^#(?=\w)", "", text))
    for name, spec in Config.model_fields.items():
        section = getattr(config, name)
        keys = {field.alias or key for key, field in type(section).model_fields.items()}
        assert set(shown[name]) == keys, name
        if name in {"mail", "database", "game", "keep", "daemon"}:
            assert section == spec.default, name


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("host =", "hots =", "imap.hots is no setting; the nearest is imap.host."),
        ("[imap]", "[imp]", "imp is no setting; the nearest is imap."),
        ("[gm]", "hour = 3\n[gm]", "hour is no setting; the nearest is game.hour."),
        ("[smtp]", "[smtp]\nhour = 3", "smtp.hour is no setting; the nearest is game.hour."),
        ("[smtp]", "[smtp]\nzzz = 3", "smtp.zzz is no setting; there are smtp.host,"),
        ('"imap.example.org"', "7", "imap.host must be text in quotes, not 7."),
        ('"imap.example.org"', '""', "imap.host must not be empty."),
        ("[smtp]", "[smtp]\nport = 70000", "smtp.port must be at most 65535, not 70000."),
        ("[smtp]", '[smtp]\nport = "x"', "smtp.port must be a whole number."),
        ("[smtp]", '[smtp]\nsecurity = "ssl"', "must be 'tls', 'starttls' or 'plain'."),
        ("[smtp]", '[game]\nzone = "Mars"\n[smtp]', "game.zone must be a time zone such as"),
        ("[smtp]", "[game]\nhour = 24\n[smtp]", "game.hour must be at most 23, not 24."),
        ("[smtp]", "[game]\nturn_length = 0\n[smtp]", "game.turn_length must be at least 1"),
        ("[smtp]", '[game]\nturn_length = "7,x"\n[smtp]', "must be a number of days, or several"),
        ("[smtp]", "[game]\nevery = 367\n[smtp]", "game.every must be at most 366"),
        (
            "[smtp]",
            '[game]\nevery = "tue,tomorrow"\n[smtp]',
            "game.every must be a number of days,",
        ),
        ("[smtp]", '[game]\nquiet = "xmas"\n[smtp]', "game.quiet must be days such as sun, 12-25,"),
        (
            "[smtp]",
            '[game]\nquiet = "02-30"\n[smtp]',
            "game.quiet must be days such as sun, 12-25,",
        ),
        (
            "[smtp]",
            '[game]\nquiet = "2027-01-02 to 2026-12-24"\n[smtp]',
            "game.quiet has a span that ends before it begins",
        ),
        ("[smtp]", "[game]\ngrace = 337\n[smtp]", "game.grace must be at most 336, not 337."),
        ("[smtp]", "[keep]\nletters = 29\n[smtp]", "keep.letters must be 0, which is for ever,"),
        ("[smtp]", "[keep]\nlogs = -1\n[smtp]", "keep.logs must be at least 0, not -1."),
        ("[smtp]", '[mail]\nplus_addressing = "so"\n[smtp]', "must be true or false."),
        ("[smtp]", '[database]\nurl = "mysql://h/d"\n[smtp]', "must begin with sqlite://"),
        ("gm@example.org", "Gemma <gm@example.org>", "gm.address must be a mail address alone,"),
        ('"Gemma"', '"Gem\\nma"', "gm.name must be one line of plain text."),
        ('host = "smtp.example.org"', "", "smtp.host is missing."),
        ('password = "hunter2"', "", "imap has a user and no way to log in: set one of password,"),
        ("[smtp]", 'password_env = "P"\n[smtp]', "not both password and password_env."),
        ("[smtp]", '[smtp]\npassword = "x"', "smtp has a password and no user."),
        ('"hunter2"', "hunter2", "is not valid TOML"),
        ("[smtp]", '[smtp]\nsecurity = "plain"', "smtp would send the password unencrypted"),
    ],
)
def test_each_mistake_is_one_sentence(tmp_path: Path, old: str, new: str, said: str) -> None:
    """The key's path, what is wrong, and what would be right."""
    says = complaint(tmp_path, GOOD.replace(old, new, 1))
    assert said in says
    assert all(line.endswith(".") for line in says.splitlines())


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    """A GM mends his config in one go."""
    says = complaint(tmp_path, GOOD.replace("user", "usr").replace("name", "nmae"))
    assert len(says.splitlines()) == 4


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]"])
def test_plain_is_allowed_to_this_machine(tmp_path: Path, host: str) -> None:
    """Nothing leaves the machine there."""
    config = load(tmp_path, GOOD.replace('"smtp.example.org"', f'"{host}"\nsecurity = "plain"'))
    assert config.smtp.port_used() == 25


def test_plain_elsewhere_has_to_be_insisted_on(tmp_path: Path) -> None:
    """A GM may know better."""
    config = load(tmp_path, GOOD + 'security = "plain"\nallow_plain = true\n')
    assert config.smtp.security == "plain"


@pytest.mark.parametrize(
    "key",
    [
        'password = "hunter2"',
        'password_env = "GM_PW"',
        'password_file = "pw"',
        'password_command = "cat pw"',
    ],
)
def test_a_password_comes_from_four_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """In the config, a variable, a file's first line or what a command prints."""
    monkeypatch.setenv("GM_PW", "hunter2")
    (tmp_path / "pw").write_text("hunter2\nsecond line\n", encoding="utf-8")
    assert password(load(tmp_path, GOOD.replace('password = "hunter2"', key))) == "hunter2"


def test_a_token_command_is_run_at_each_login(tmp_path: Path) -> None:
    """XOAUTH2 tokens are short-lived."""
    key = 'token_command = "cat token"'
    login = load(tmp_path, GOOD.replace('password = "hunter2"', key)).imap_login()
    assert login.password is None
    assert login.token is not None
    for token in ("first", "second"):
        (tmp_path / "token").write_text(f"{token}\n", encoding="utf-8")
        assert login.token() == token


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ('password_env = "GM_PW"', "imap.password_env names GM_PW, which the environment lacks."),
        ('password_file = "pw"', "can't be read: no such file or directory."),
        ('password_file = "empty"', "imap.password_file gives an empty first line"),
        ('password_command = "no-such-program"', "imap.password_command failed: no such file"),
        (
            "password_command = \"sh -c 'echo hunter2; exit 3'\"",
            "imap.password_command failed: it ended with exit code 3.",
        ),
        (
            'password_command = "say \'hunter2"',
            "password_command failed: its quotation marks don't match.",
        ),
        ('password_command = "true"', "imap.password_command gives an empty first line"),
    ],
)
def test_a_password_that_cannot_be_had_is_told(tmp_path: Path, key: str, said: str) -> None:
    """One sentence, with the key and the reason and without what was printed."""
    (tmp_path / "empty").write_text("\n", encoding="utf-8")
    config = load(tmp_path, GOOD.replace('password = "hunter2"', key))
    with pytest.raises(ConfigError) as caught:
        config.imap_login()
    assert said in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_smtp_may_have_its_own_login_or_none(tmp_path: Path) -> None:
    """A user of its own needs a password; an empty one doesn't log in."""
    own = load(tmp_path, GOOD + 'user = "out"\npassword = "other"\n').smtp_login()
    assert own is not None
    assert own.user == "out"
    assert load(tmp_path, GOOD + 'user = ""\n').smtp_login() is None


def test_the_environment_wins_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """POSTAL_, the section, two underscores and the key; POSTAL_DATA is no setting."""
    monkeypatch.setenv("POSTAL_IMAP__PASSWORD", "from outside")
    monkeypatch.setenv("POSTAL_GAME__HOUR", "6")
    monkeypatch.setenv("POSTAL_DATA", "elsewhere")
    config = load(tmp_path, GOOD)
    assert password(config) == "from outside"
    assert config.game.hour == 6


def test_lists_of_days_are_written_in_more_than_one_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As text, as a list, as a number, and in the environment."""
    game = load(tmp_path, f"{GOOD}\n[game]\nturn_length = [7, 7, 3]\nevery = 4").game
    assert (game.turn_length, game.lengths(), game.every_days()) == ("7,7,3", (4,), ())
    monkeypatch.setenv("POSTAL_GAME__TURN_LENGTH", "7, 3")
    monkeypatch.setenv("POSTAL_GAME__EVERY", "Friday, tue")
    monkeypatch.setenv("POSTAL_GAME__QUIET", "sat ,12-25")
    game = load(tmp_path, GOOD).game
    assert (game.turn_length, game.every, game.every_days()) == ("7,3", "tue,fri", (1, 4))
    assert game.quiet == "sat, 12-25"


def test_a_wrong_variable_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A section's variable that isn't JSON is no crash."""
    monkeypatch.setenv("POSTAL_GAME", "six")
    assert "POSTAL_GAME of the environment is no JSON" in complaint(tmp_path, GOOD)


@pytest.mark.parametrize(
    "wrong",
    [
        "password = hunter2",
        "[hunter2]\n[hunter2]",
        'password = "hunter2',
        '"hunter2" = 1\n"hunter2" = 2',
        'port = "hunter2"',
        'security = "hunter2"',
        'allow_plain = "hunter2"',
        "password = 72832",
        '[smtp]\nfrom = "hunter2"',
        '[game]\nzone = "hunter2"',
        '[database]\nurl = "hunter2://x"',
    ],
)
def test_no_text_of_the_config_is_repeated(tmp_path: Path, wrong: str) -> None:
    """It may be a password without its quotes, or under the wrong key."""
    new = f'host = "imap.example.org"\n{wrong}'
    says = complaint(tmp_path, GOOD.replace('host = "imap.example.org"', new, 1))
    assert "hunter" not in says
    assert "72832" not in says


def test_no_byte_of_a_password_is_repeated(tmp_path: Path) -> None:
    """Python's own words on text that is no UTF-8 name the byte."""
    (tmp_path / "secret").write_bytes(b"hunter\xfe\n")
    for key in ('password_file = "secret"', 'password_command = "cat secret"'):
        config = load(tmp_path, GOOD.replace('password = "hunter2"', key))
        with pytest.raises(ConfigError, match="it is not UTF-8 text") as caught:
            config.imap_login()
        assert "0x" not in str(caught.value)


def test_no_secret_is_in_the_repr(tmp_path: Path) -> None:
    """Neither the config nor a login shows its password."""
    url = '[database]\nurl = "postgresql://gm:hunter2@db/postal"\n'
    config = load(tmp_path, GOOD + url)
    assert "hunter2" in config.database_url
    assert "hunter2" not in f"{config!r} {config.imap_login()!r}"


def test_a_missing_or_unreadable_config_is_told(tmp_path: Path) -> None:
    """With what to do about it."""
    with pytest.raises(ConfigError, match="postal init"):
        load_config(tmp_path)
    (tmp_path / "config.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="can't be read"):
        load_config(tmp_path)
    (tmp_path / "config.toml").unlink()
    (tmp_path / "config.toml").mkdir()
    with pytest.raises(ConfigError, match="is a directory"):
        load_config(tmp_path)


def test_mails_come_from_the_mailbox_whoever_the_gm_is(tmp_path: Path) -> None:
    """An address for a login name is it; ``from`` says otherwise; else it is the GM's."""
    own = GOOD.replace('user = "gm"', 'user = "games@example.org"')
    assert load(tmp_path, own).sender == "games@example.org"
    assert load(tmp_path, own + 'from = "play@example.org"\n').sender == "play@example.org"
    assert load(tmp_path, GOOD).sender == "gm@example.org"

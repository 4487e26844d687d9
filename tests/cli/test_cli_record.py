"""`postal replay` and `postal export`: outcome on stdout, differences on stderr, exit codes."""

import json
from pathlib import Path

import pytest

from postal.service.records.record import NoRecordError
from tests.cli.cli_league import make_folder, new_game, postal, refusal

SAMPLE = Path(__file__).parent.parent / "records" / "smith-sample-hand.json"


def test_replay_needs_no_config(tmp_path: Path) -> None:
    """And gives the outcome as JSON, or for people."""
    result = postal(tmp_path, "replay", str(SAMPLE), "--json")
    assert result.exit_code == 0, result.output
    outcome = json.loads(result.stdout)
    assert outcome == json.loads(SAMPLE.read_text("utf-8"))["outcome"]
    people = postal(tmp_path, "replay", str(SAMPLE))
    assert people.exit_code == 0
    assert "£520,000" in people.output
    assert "refused (not-your-turn): A: raise 10000" in people.output


def test_another_outcome_is_told_with_1(tmp_path: Path) -> None:
    """A line for each difference, on stderr."""
    data = json.loads(SAMPLE.read_text("utf-8"))
    data["outcome"]["balances"]["Joe"] = 0
    (tmp_path / "record.json").write_text(json.dumps(data), "utf-8")
    result = postal(tmp_path, "replay", str(tmp_path / "record.json"), "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["balances"]["Joe"] == 840_000
    assert result.stderr == "outcome.balances.Joe: the record has 0, the replay has 840000\n"


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"format": "postal-record/1"}'])
def test_no_record_is_2(tmp_path: Path, content: str) -> None:
    """One line."""
    (tmp_path / "record.json").write_text(content)
    result = postal(tmp_path, "replay", str(tmp_path / "record.json"))
    assert isinstance(result.exception, NoRecordError)
    code, sentence = refusal(result)
    assert (code, "no game record" in sentence) == (2, True)


def test_words_that_look_like_marks_are_printed_as_they_are(tmp_path: Path) -> None:
    """Neither colours nor a terminal's own commands."""
    data = json.loads(SAMPLE.read_text("utf-8").replace('"Joe"', '"[/b]:x:"'))
    data["turns"][0]["lines"].append(["Ann", "\x1b[2J[red]fold :smile:"])
    del data["outcome"]
    (tmp_path / "record.json").write_text(json.dumps(data), "utf-8")
    result = postal(tmp_path, "replay", str(tmp_path / "record.json"))
    assert result.exit_code == 0, result.output
    assert "[/b]:x:" in result.output
    assert "[red]fold :smile:" in result.output
    assert "\x1b" not in result.output


def test_export_writes_what_replay_takes(tmp_path: Path) -> None:
    """To the screen or a file; a game in play with --sealed alone."""
    make_folder(tmp_path)
    assert new_game(tmp_path).exit_code == 0
    code, sentence = refusal(postal(tmp_path, "export", "smith-1"))
    assert (code, "--sealed" in sentence) == (1, True)
    file = tmp_path / "record.json"
    result = postal(tmp_path, "export", "smith-1", "--sealed", "--to", str(file))
    assert result.exit_code == 0, result.output
    assert postal(tmp_path, "export", "smith-1", "--sealed").stdout == file.read_text("utf-8")
    assert postal(tmp_path, "replay", str(file)).exit_code == 0
    assert file.stat().st_mode & 0o077 == 0, "it opens cards that are still in play"


@pytest.mark.parametrize("to", ["nowhere/record.json", ""])
def test_export_to_where_no_file_can_be(tmp_path: Path, to: str) -> None:
    """In a folder that isn't there, or in place of a folder."""
    make_folder(tmp_path)
    assert new_game(tmp_path).exit_code == 0
    told = refusal(postal(tmp_path, "export", "smith-1", "--sealed", "--to", str(tmp_path / to)))
    assert told[0] == 2
    assert "choose another file" in told[1]

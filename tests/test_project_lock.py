"""The locked requirements: complete, hashed and silent about where they come from."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCKS = sorted(ROOT.glob("requirements*"))


def named(requirement: str) -> str:
    """Return the normalised name of a requirement."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=!~; ]", requirement)[0]).lower()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_names_no_index_and_hashes_everything(lock: Path) -> None:
    """Pip takes each file by its hash, from whatever index the machine uses."""
    text = lock.read_text(encoding="utf-8")
    assert "://" not in text
    assert "file:" not in text
    entries = re.split(r"\n(?=\S)", text.strip())
    assert entries
    assert all("==" in entry and "--hash=sha256:" in entry for entry in entries)


def test_the_lock_holds_every_dependency() -> None:
    """All extras and the tools of the group dev: `make test` needs nothing more."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [
        *project["project"]["dependencies"],
        *(r for extra in project["project"]["optional-dependencies"].values() for r in extra),
        *project["dependency-groups"]["dev"],
    ]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked = {named(line) for line in lock.splitlines() if "==" in line}
    assert {named(requirement) for requirement in wanted} <= locked

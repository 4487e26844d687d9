"""A Python that won't do is told by make in one line, before anything is set up."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder with what make looks at, and nothing set up."""
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def python(folder: Path, name: str, body: str) -> str:
    """Make a stand-in for a Python and return its path."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    file.chmod(0o755)
    return str(file)


def make(checkout: Path, *arguments: str, path: str) -> list[str]:
    """Return what make says of a Python that it refuses, less its own closing line."""
    program = shutil.which("make")
    assert program is not None
    tools = checkout / "tools"
    tools.mkdir(exist_ok=True)
    for tool in ("sh", "rm", "echo"):
        found = shutil.which(tool)
        if found:
            (tools / tool).symlink_to(found)
    done = subprocess.run(
        [program, "test", *arguments],
        cwd=checkout,
        env={"PATH": f"{path}:{tools}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert not (checkout / ".venv").exists()
    return [line for line in (done.stdout + done.stderr).splitlines() if "***" not in line]


OLD = 'case "$2" in *"< (3, 11)"*) exit 1;; esac'
BARE = 'case "$2" in *ensurepip*) exit 1;; esac'


def test_no_python_at_all(checkout: Path) -> None:
    """The line says what is needed."""
    (line,) = make(checkout, path=str(checkout / "nowhere"))
    assert "needs Python 3.11 or newer" in line


def test_only_an_old_python(checkout: Path) -> None:
    """Too old is as good as none."""
    python(checkout / "bin", "python3", OLD)
    (line,) = make(checkout, path=str(checkout / "bin"))
    assert "needs Python 3.11 or newer" in line


def test_a_chosen_python_that_is_old(checkout: Path) -> None:
    """PYTHON is taken at its word, and the line names it."""
    chosen = python(checkout / "bin", "oldpython", OLD)
    (line,) = make(checkout, f"PYTHON={chosen}", path=str(Path(sys.executable).parent))
    assert chosen in line


def test_a_python_without_venv(checkout: Path) -> None:
    """Debian's, before python3-venv is installed."""
    python(checkout / "bin", "python3", BARE)
    (line,) = make(checkout, path=str(checkout / "bin"))
    assert "apt install python3-venv" in line


def test_shims_that_do_not_run_are_passed_over(checkout: Path) -> None:
    """A python3.13 that only says it isn't installed doesn't hide the python3 that is."""
    python(checkout / "bin", "python3.13", "echo 'not installed' >&2; exit 127")
    python(checkout / "bin", "python3", BARE)
    (line,) = make(checkout, path=str(checkout / "bin"))
    assert line.startswith("python3 has no venv")

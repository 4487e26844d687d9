"""The command `postal` as a GM has it: a built wheel, installed away from the checkout."""

import json
import os
import subprocess
import sys
import sysconfig
import threading
import venv
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Self

ROOT = Path(__file__).parents[2]
"""The checkout that the wheel is built from."""

STOP_SECONDS = 60
"""How long a program that was told to end may take until the test gives up."""


@dataclass(frozen=True)
class Installed:
    """An environment with postal in it, and a folder to run its command in."""

    program: Path
    python: Path
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """What a GM's shell has, and nothing of the checkout."""
        home = {"HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder / "share")}
        return {"PATH": os.defpath, "LANG": "C.UTF-8", "COLUMNS": "200", **home}

    def run(self, *arguments: str, environment: dict[str, str] | None = None) -> "Done":
        """Run the command to its end."""
        done = subprocess.run(
            [self.program, *arguments],
            cwd=self.folder,
            env={**self.environment, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=2 * STOP_SECONDS,
            check=False,
        )
        return Done(arguments, done.returncode, done.stdout, done.stderr)

    def ask(self, code: str) -> str:
        """Return what a line of Python prints in the environment."""
        done = subprocess.run(
            [self.python, "-c", code],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def start(self, *arguments: str, heard: Callable[[str], None] = print) -> "Running":
        """Start the command in the background; ``heard`` gets each line of its log as it comes."""
        return self._start([str(self.program), *arguments], heard)

    def start_with(
        self, script: Path, *arguments: str, heard: Callable[[str], None] = print
    ) -> "Running":
        """Start a script that is run in the environment in place of the command."""
        return self._start([str(self.python), str(script), *arguments], heard)

    def _start(self, command: list[str], heard: Callable[[str], None]) -> "Running":
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        return Running(process, heard)


@dataclass(frozen=True)
class Done:
    """A command that has ended: its exit code and what it printed."""

    arguments: tuple[str, ...]
    code: int
    out: str
    err: str

    def well(self) -> "Done":
        """Return it, or fail the test where it ended with anything but 0."""
        assert self.code == 0, f"postal {' '.join(self.arguments)} gave {self.code}: {self.err}"
        return self

    def json(self) -> Any:
        """Return what it printed as JSON, once it went well."""
        return json.loads(self.well().out)

    def one_sentence(self) -> str:
        """Return the one line that it said on stderr; no traceback, nothing else."""
        lines = self.err.splitlines()
        assert len(lines) == 1, f"not one line: {self.err}"
        assert "Traceback" not in self.err
        return lines[0]


@dataclass
class Running:
    """A command that runs; its log is read to the end, so that it never blocks."""

    process: subprocess.Popen[str]
    heard: Callable[[str], None]
    log: list[str] = field(default_factory=list)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        """Begin to read."""
        assert self.process.stderr is not None
        self._reader = threading.Thread(target=self._follow, args=(self.process.stderr,))
        self._reader.start()

    def _follow(self, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                with self._changed:
                    self.log.append(line.rstrip("\n"))
                    self._changed.notify_all()
                self.heard(line)
        with self._changed:
            self._changed.notify_all()

    def wait_for(self, words: str) -> None:
        """Return when a line of the log has the words; fail where none comes."""

        def said() -> bool:
            return any(words in line for line in self.log)

        with self._changed:
            self._changed.wait_for(lambda: said() or not self._reader.is_alive(), STOP_SECONDS)
        assert said(), f"{words!r} was never said: {self.log}"

    def signal(self, number: int) -> None:
        """Send it a signal, if it still runs."""
        if self.process.poll() is None:
            self.process.send_signal(number)

    def end(self) -> int:
        """Return its exit code once it has ended, or kill it and fail."""
        try:
            code = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self._reader.join(STOP_SECONDS)
        return code

    def __enter__(self) -> Self:
        """Run on."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave nothing running behind a test that failed."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join(STOP_SECONDS)


def install(folder: Path) -> Installed:
    """Build the wheel and install it into an environment of its own below ``folder``.

    What postal depends on is taken from the environment that the tests run in.
    """
    wheels, home, work = folder / "wheels", folder / "environment", folder / "elsewhere"
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(wheels)]
    _quietly([*build, str(ROOT)], ROOT)
    (wheel,) = wheels.glob("*.whl")
    venv.create(home, symlinks=True, with_pip=False)
    python = home / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    work.mkdir()
    _quietly([*pip, "install", "--no-deps", "--no-index", str(wheel)], work)
    # Behind the environment's own, so that no editable postal of a checkout comes first; the
    # .pth files in there aren't read.
    (site,) = home.glob("lib/python*/site-packages")
    borrowed = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    (site / "borrowed.pth").write_text("".join(f"{path}\n" for path in borrowed), "utf-8")
    return Installed(home / "bin" / "postal", python, work)


def _quietly(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command} failed: {done.stdout}{done.stderr}"

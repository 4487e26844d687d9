"""Reads thousands of odd mails in one run: ``python tests/fuzz/run.py --count 20000``.

They are mails made in the shapes of all clients, of which it is known what they order, and such
mails, those of tests/mail/corpus and of tests/fuzz/seeds with bytes changed, lost and doubled.
Printed are how many were read, the slowest with its seconds, and for each of these and for every
failure the command that repeats it. The exit status is 1 where reading one failed or gave an order
that isn't there. ``--guided`` lets atheris, where it is installed, look for such mails by the code
that they reach; what it finds is left in a file to be read with ``--file``.
"""

import argparse
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.fuzz.making import make, twisted  # noqa: E402 - found by the path above
from tests.fuzz.oracle import check, orders  # noqa: E402 - as above

SOURCES = (ROOT / "tests/mail/corpus", ROOT / "tests/fuzz/seeds")
FILLED = {b"@TOKEN@": b"abcdefgh234567zz", b"@OLD-TOKEN@": b"zzyyxxww22334455"}
MAX_BYTES = 2 * 1024 * 1024

say = sys.stdout.write


@cache
def seeds() -> tuple[bytes, ...]:
    """Return the mails that are changed, in the order of their names."""
    files = sorted(file for folder in SOURCES for file in folder.glob("*.eml"))
    return tuple(filled(file.read_bytes()) for file in files)


def filled(mail: bytes) -> bytes:
    """Return a mail of the corpus with tokens in it."""
    for word, token in FILLED.items():
        mail = mail.replace(word, token)
    return mail


def mail_of(seed: int, number: int) -> tuple[bytes, tuple[str, ...] | None, bool]:
    """Return a mail of a run, the orders in it where they are known, and whether all must be."""
    pick = random.Random(seed * 1_000_000_007 + number)
    kind = pick.random()
    if kind < 0.4:
        made = make(pick)
        return made.raw, made.own, made.whole
    if kind < 0.6 or not seeds():
        return twisted(pick, make(pick).raw)[:MAX_BYTES], None, False
    if kind < 0.95:
        return twisted(pick, pick.choice(seeds()))[:MAX_BYTES], None, False
    return pick.randbytes(pick.randrange(3000)), None, False


def failure(raw: bytes, own: Sequence[str] | None, *, whole: bool) -> str:
    """Return what is wrong with how a mail is read, empty where nothing is."""
    try:
        _, readings = check(raw, own)
    except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
        return traceback.format_exc(limit=-4)
    if whole and own is not None and Counter(orders(readings)) != Counter(own):
        return f"of the orders {own} were read: {orders(readings)}"
    return ""


def run(seed: int, numbers: Sequence[int]) -> int:
    """Read the mails of a run, print what came of them, and return how many failed."""
    failed, slowest = 0, (0.0, -1)
    for number in numbers:
        mail = mail_of(seed, number)
        began = time.perf_counter()
        wrong = failure(mail[0], mail[1], whole=mail[2])
        slowest = max(slowest, (time.perf_counter() - began, number))
        if wrong:
            failed += 1
            say(f"{wrong}\nagain: {command(seed, number)}\n\n")
    say(
        f"{len(numbers)} mails read, {failed} of them wrongly;"
        f" the slowest took {slowest[0]:.3f} s:\n{command(seed, slowest[1])}\n"
    )
    return failed


def command(seed: int, number: int) -> str:
    """Return the command that reads one mail of a run again."""
    return f"python tests/fuzz/run.py --seed {seed} --one {number}"


def guided(seconds: int) -> int:
    """Let atheris look for mails that are read wrongly; returns its exit status."""
    try:
        atheris = import_module("atheris")
    except ImportError:
        say("atheris isn't installed, which has no build for every Python: no guided run.\n")
        return 0
    for name in ("postal.mail", "postal.ordertext"):
        for loaded in [one for one in sys.modules if one.startswith(name)]:
            del sys.modules[loaded]
    with atheris.instrument_imports(include=["postal", "tests.fuzz.oracle"]):
        sys.modules.pop("tests.fuzz.oracle", None)
        checked = import_module("tests.fuzz.oracle").check
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    for number, mail in enumerate(seeds()):
        (folder / f"{number}.eml").write_bytes(mail)
    (folder / "words").write_text(WORDS, encoding="ascii")
    options = (f"-max_total_time={seconds}", "-max_len=20000", f"-artifact_prefix={folder}/found-")
    atheris.Setup(
        [sys.argv[0], *options, f"-dict={folder}/words", "-timeout=5", str(folder)], checked
    )
    say(f"atheris works in {folder} for {seconds} s\n")
    sys.stdout.flush()
    atheris.Fuzz()
    return 0


WORDS = "\n".join(
    f'"{word}"'
    for word in (
        "Content-Type: ", "text/html", "multipart/mixed; boundary=", "charset=", "format=flowed",
        "base64", "quoted-printable", "=?utf-8?b?", "blockquote", "gmail_quote", "appendonsend",
        "=-=-= Reply above this line =-=-=", "From: ", "Sent: ", "> ", "::", "A: raise 40000",
        "B: fold", "C: stay", "give 2C 5D next, 9H previous", "keep", "expose", "press:", "end",
        "cancel all", "wrote:", "-- ",
    )
)  # fmt: skip


def main() -> int:
    """Do what the command line says, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=20_000, help="mails to be read")
    parser.add_argument("--seed", type=int, default=1, help="another run, other mails")
    parser.add_argument("--one", type=int, help="read this mail of the run only, and print it")
    parser.add_argument("--file", type=Path, help="read this mail only")
    parser.add_argument("--guided", type=int, metavar="SECONDS", help="let atheris look that long")
    given = parser.parse_args()
    if given.file:
        say(failure(given.file.read_bytes(), None, whole=False) or "read well\n")
        return 0
    if given.one is not None:
        say(f"{mail_of(given.seed, given.one)[0].decode('latin-1')}\n\n")
        return min(run(given.seed, [given.one]), 1)
    if given.guided:
        return guided(given.guided)
    return min(run(given.seed, range(given.count)), 1)


if __name__ == "__main__":
    sys.exit(main())

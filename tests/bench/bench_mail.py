"""Time the reading of the worst mails: those of the corpus, of fuzzing, and some made to be slow.

Run it from the repository with ``python tests/bench/bench_mail.py``. A mail is read as the league
does: parsed, judged whether it may be answered, searched for tokens, and all its texts for orders.
Those made to be slow have one and two megabytes, the most that is fetched, or half and all of what
is read of a text. Of three times the least counts. The exit status is 1 where a mail takes a second
or more, or where twice the size takes more than thrice the time, times below a tenth of a second
apart, which are too short to be compared.
"""

import argparse
import base64
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from postal.mail.gate import refusal  # noqa: E402 - found by the path above
from postal.mail.incoming import read  # noqa: E402 - as above
from postal.mail.tokens import candidates  # noqa: E402 - as above
from postal.service.inbound.reading import read_whole  # noqa: E402 - as above
from tests.fuzz.oracle import GM, PLAYER  # noqa: E402 - as above
from tests.fuzz.run import mail_of, seeds  # noqa: E402 - as above

MEGABYTE = 1024 * 1024
LIMIT = 1.0
GROWTH, COMPARED = 3.0, 0.1
ROUNDS = 3
TOP = b"From: a@example.org\r\nTo: gm+abcdefgh234567zz@example.org\r\nMIME-Version: 1.0\r\n"

Maker = Callable[[int], bytes]


def filled(unit: bytes, size: int) -> bytes:
    """Return a text over and over, as often as it goes into ``size`` bytes."""
    return unit * (size // len(unit))


def text(
    unit: bytes, kind: bytes = b"text/plain", most: int = 2 * MEGABYTE, head: bytes = b""
) -> Maker:
    """Return what makes a mail of one part that says the same over and over."""
    start = TOP + b"Content-Type: " + kind + b"; charset=utf-8\r\n" + head + b"\r\n"
    return lambda size: start + filled(unit, min(size, most))


def header(unit: bytes, name: bytes = b"Subject") -> Maker:
    """Return what makes a mail with one long header field."""
    return lambda size: TOP + name + b": " + filled(unit, size) + b"\r\n\r\nA: fold\r\n"


def parts(part: bytes, kind: bytes = b"mixed", limit: int = 10**9) -> Maker:
    """Return what makes a mail of the same part over and over."""
    start = TOP + b"Content-Type: multipart/" + kind + b'; boundary="b"\r\n\r\n'
    unit = b"--b\r\n" + part + b"\r\n"
    return lambda size: start + filled(unit, min(size, limit * len(unit))) + b"\r\n--b--\r\n"


def nested(size: int) -> bytes:
    """Return a mail of parts within parts."""
    raw, depth = TOP, 0
    while len(raw) < size:
        raw += b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (depth, depth)
        depth += 1
        if depth % 100 == 0:
            raw += b"x" * 4000
    return raw


def few_nested(size: int) -> bytes:
    """Return a mail of thirty-five parts within parts, each boundary looked for in each line."""
    raw = TOP
    for depth in range(35):
        raw += b'Content-Type: multipart/mixed; boundary="%s%d"\r\n\r\n' % (b"b" * 30, depth)
        raw += b"--%s%d\r\n" % (b"b" * 30, depth)
    return raw + b"\r\n" + filled(b"-b\r\n", size)


def base64_of(kind: bytes, unit: bytes) -> Maker:
    """Return what makes a mail of one part in base64."""
    start = TOP + b"Content-Type: " + kind + b"\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    return lambda size: start + base64.encodebytes(filled(unit, size * 3 // 4))


QP = b"Content-Transfer-Encoding: quoted-printable\r\n"
MOST = 255 * 1024  # more than that is not read
HTML = b"text/html"
LINES = b"A: fold\r\n" * 90
SLOW: dict[str, Maker] = {
    "many parts": parts(b"Content-Type: text/plain\r\n\r\nA: fold"),
    "as many parts as are read": parts(b"Content-Type: text/plain\r\n\r\n" + LINES, limit=300),
    "many alternatives": parts(b"Content-Type: text/html\r\n\r\n<p>x", b"alternative", 300),
    "many big HTML parts": parts(b"Content-Type: text/html\r\n\r\n" + b"<p>x</p>" * 8000),
    "parts nested without end": nested,
    "parts nested 35 deep": few_nested,
    "a thousand boundaries": lambda size: TOP
    + b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n" % n for n in range(1000))
    + b"\r\n" + filled(b"--b1\r\n\r\n", size),
    "boundary lines": text(b"--b\r\n"),
    "long lines": text(b"x" * 100_000 + b"\r\n"),
    "one line": text(b"A: fold "),
    "lines, most that are read": text(b"A: fold\r\n", most=MOST),
    "lines of 500": text(b"A: give " + b"2C " * 160 + b"\r\n", most=MOST),
    "On On On": text(b"On ", most=MOST),
    "On lines": text(b"On On On On On On On\r\n", most=MOST),
    "nested quotes": text(b">" * 300 + b" A: fold\r\n", most=MOST),
    "half orders": text(b"A: raise 1, A: keep to B: 10 10 as\r\n", most=MOST),
    "empty lines": text(b"\r\n"),
    "blanks": text(b" "),
    "lone CRs": text(b"\r"),
    "NULs": text(b"\0"),
    "flowed": text(b"> A: fold \r\n", b"text/plain; format=flowed", MOST),
    "flowed, one paragraph": text(b"word \r\n", b"text/plain; format=flowed", MOST),
    "letters with many marks": text("e\u0301\u0323\u0300".encode(), most=MOST),
    "wide letters": text("\ufdfa\n".encode(), most=MOST),
    "semicolons": text(b"A:;" * 150 + b"\r\n", most=MOST),
    "quoted semicolons": text(b"> " + b"A:;" * 150 + b"\r\n", most=MOST),
    "orders on a line": text(b"A fold;" * 70 + b"\r\n", most=MOST),
    "half heads": text(b"Fra: Joe\nA: fold\n", most=MOST),
    "heads of one kind": text(b"Word: text\n", most=MOST),
    "half original lines": text(b"-" * 200 + b"a b " * 60 + b"\n", most=MOST),
    "attributions": text(b"On 5 May 2031 at 21:00 a@example.org wrote:\n>\n", most=MOST),
    "marks": text(b"*_`" * 150 + b"a*b\n", most=MOST),
    "marks in words": text(b"a*:" * 150 + b"\n", most=MOST),
    "slips of types": parts(b"Content-Type: text plain " + b":" * 990 + b"\n\nA: fold"),
    "slips in words": parts(b"Content-Type: " + b"=?utf-8?q?a?= " * 70 + b"\n\nA: fold"),
    "slips of encodings": parts(b"Content-Transfer-Encoding: " + b"(" * 1900 + b"\n\nA: fold"),
    "attached texts": parts(
        b"Content-Type: text/plain\nContent-Disposition: attachment\n\n" + LINES, limit=300
    ),
    "bare base64": base64_of(b"text/plain\nContent-Disposition: attachment", b"A: fold\n"),
    "soft breaks": text(b"A=\r\n", head=QP),
    "equals signs": text(b"=", head=QP),
    "quoted-printable letters": text(b"=C3=A9", head=QP),
    "base64 text": base64_of(b"text/plain", b"A: fold\r\n"),
    "base64 attachment": base64_of(b"application/pdf", b"x"),
    "a huge row": text(b"<td>A: fold</td>", HTML, MOST, b""),
    "a huge table": text(b"<tr><td>a</td><td>b</td></tr>", HTML, MOST),
    "tables within tables": text(b"<table><tr><td>", HTML, MOST),
    "deep HTML": text(b"<div>", HTML, MOST),
    "deep lists": text(b"<ul><li>", HTML, MOST),
    "deep citations": text(b"<blockquote cite=x>", HTML, MOST),
    "many citations": text(b"wrote:<blockquote cite=x>A: fold</blockquote>", HTML, MOST),
    "struck orders": text(b"<p><s>A: fold</s>", HTML, MOST),
    "lines above heads": text(b"<div style='border:none;border-top:solid 1pt'>", HTML, MOST),
    "deep starts": text(b"<div><div id=appendonsend>x", HTML, MOST),
    "deep quotes": text(b"<blockquote>", HTML, MOST),
    "many quotes": text(b"<blockquote>x</blockquote>", HTML, MOST),
    "many gmail quotes": text(b"<div class=gmail_quote>x</div>", HTML, MOST),
    "deep gmail quotes": text(b"<div class=gmail_quote>", HTML, MOST),
    "many starts of quotes": text(b"<div id=appendonsend></div>x", HTML, MOST),
    "nested html": text(b"<html><body>x", HTML, MOST),
    "open tags": text(b"<", HTML, MOST),
    "open html tags": text(b"<html ", HTML, MOST),
    "comments": text(b"<!--", HTML, MOST),
    "entities": text(b"&amp;&nbsp;&#8203;", HTML, MOST),
    "styles": text(b"<p style='a:b;c:d;color:red'>x", HTML, MOST),
    "links": text(b"<a href=x>y</a><br>", HTML, MOST),
    "struck out": text(b"<s>x</s>", HTML, MOST),
    "CDATA": text(b"<![CDATA[", HTML, MOST),
    "encoded words": header(b"=?utf-8?q?x?= "),
    "encoded words, folded": header(b"=?utf-8?b?eA==?=\r\n "),
    "broken encoded words": header(b"=?"),
    "a long Subject": header(b"x"),
    "many addresses": header(b"a@b.c, ", b"To"),
    "nested comments": header(b"(", b"From"),
    "quotation marks": header(b'"', b"From"),
    "angles": header(b"<", b"References"),
    "message-ids": header(b"<a@b.c> ", b"References"),
    "folded From": header(b"a\r\n ", b"From"),
    "parameters": header(b"; a*0*=x", b"Content-Type"),
    "numbered parameters": lambda size: TOP + b"Content-Type: text/plain"
    + b"".join(b"; name*%d*=x" % n for n in range(size // 12)) + b"\r\n\r\nA: fold\r\n",
    "many headers": lambda size: TOP + filled(b"X-Note: A: fold\r\n", size) + b"\r\nA: fold\r\n",
    "a Date": header(b"1 ", b"Date"),
    "Received": lambda size: TOP + filled(b"Received: from a by b; x\r\n", size) + b"\r\n",
    "delivery report": parts(
        b"Content-Type: message/delivery-status\r\n\r\nFinal-Recipient: rfc822; a@b.c\r\n\r\n",
        b"report; report-type=delivery-status", 300,
    ),
    "a bounce of lines": lambda size: b"From: mailer-daemon@example.org\r\nReturn-Path: <>\r\n"
    b"Subject: Undelivered Mail\r\n\r\n" + filled(b"<a@b.c>: 550 no such user\r\n", size),
    "a bounce of tokens": lambda size: b"From: mailer-daemon@example.org\r\nReturn-Path: <>\r\n"
    b"\r\n" + filled(b"postal.abcdefgh234567zz.x", min(size, MOST)),
    "PGP": text(b"-----BEGIN PGP SIGNED MESSAGE-----\r\n- -----\r\n", most=MOST),
    "uuencode": text(b"begin 644 x\r\n", head=b"Content-Transfer-Encoding: x-uuencode\r\n"),
    "bytes": text(bytes(range(128, 256))),
    "utf-7": text(b"+AGE-", b"text/plain; charset=utf-7;", MOST),
}  # fmt: skip


def handle(raw: bytes) -> None:
    """Read a mail as the league does."""
    incoming = read(raw)
    refusal(incoming, (GM,))
    candidates(incoming)
    read_whole(incoming, PLAYER, "club")


def seconds(raw: bytes) -> float:
    """Return how long a mail takes at the least."""
    best = LIMIT * 100
    for _ in range(ROUNDS):
        began = process_time()
        handle(raw)
        best = min(best, process_time() - began)
        if best > LIMIT * 2:
            break
    return best


def timed(make: Maker) -> tuple[float, float]:
    """Return the times of half a mail and of the whole; again where chance may have had a hand."""
    sizes = (MEGABYTE, 2 * MEGABYTE - 4096)
    if len(make(sizes[0])) == len(make(sizes[1])):
        sizes = (MOST // 2, MOST)
    for _ in range(ROUNDS):
        half, whole = (seconds(make(size)) for size in sizes)
        if whole <= half * GROWTH or whole < COMPARED:
            break
    return half, whole


def slowest(mails: list[tuple[str, bytes]]) -> tuple[float, str]:
    """Return the time and the name of the slowest."""
    return max((seconds(raw), name) for name, raw in mails)


def main() -> int:
    """Time all, print the times, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="only these of the mails made to be slow")
    parser.add_argument("--fuzzed", type=int, default=300, help="fuzzed mails to be timed")
    given = parser.parse_args()
    write = sys.stdout.write
    bad = []
    if not given.names:
        found = [("corpus", [(str(n), raw) for n, raw in enumerate(seeds())])]
        found.append(("fuzzing", [(str(n), mail_of(1, n)[0]) for n in range(given.fuzzed)]))
        for what, mails in found:
            took, name = slowest(mails)
            write(f"{took:6.3f} s  the slowest of {len(mails)} of {what}: number {name}\n")
            bad += [what] if took >= LIMIT else []
    for name in given.names or SLOW:
        half, whole = timed(SLOW[name])
        ratio = whole / half
        wrong = whole >= LIMIT or (ratio > GROWTH and whole > COMPARED)
        bad += [name] if wrong else []
        write(f"{whole:6.3f} s  {ratio:5.2f} times that of half the size  {name}{'  !' * wrong}\n")
        sys.stdout.flush()
    write(f"{len(bad)} too slow{': ' if bad else ''}{', '.join(bad)}\n")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())

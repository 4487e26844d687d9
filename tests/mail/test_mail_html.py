"""HTML to text: the clients' quotes are dropped, the writer's words are kept, in bounded time."""

import pytest

from postal.mail.html import UnreadableHtmlError, html_to_text, read_html


@pytest.mark.parametrize(
    "html",
    [
        "<p>A: fold</p><blockquote type='cite'>B: fold</blockquote>",
        (
            "<div>A: fold</div><div class='gmail_quote'><div class='gmail_attr'>B: fold</div>"
            "<blockquote class='gmail_quote'>C: fold</blockquote></div>"
        ),
        (
            "<div>A: fold</div><div class='gmail_quote gmail_quote_container'>--- Forwarded ---"
            "<br>B: fold</div>"
        ),
        (
            "<div class='gmail_quote'><div class='gmail_attr'>On Monday GM wrote:</div>"
            "<blockquote>B: fold</blockquote><div>A: fold</div></div>"
        ),
        (
            "<div>A: fold</div><div id='appendonsend'></div><hr>"
            "<div id='divRplyFwdMsg'>From: GM</div>"
            "<div>B: fold</div>loose words"
        ),
        "<div>A: fold</div><div id='x_divRplyFwdMsg'>From: GM</div><table><tr><td>B: fold</table>",
        "<div>A: fold</div><div class='ydp1234yahoo_quoted' id='ydp99yahoo_quoted_1'>B: fold</div>",
        "<html><body>A: fold<html><body>B: fold</body></html></body></html>",
        "A: fold<br><html><body>B: fold</body></html>",
        "<!DOCTYPE html>\n<HTML><BODY>A: fold</BODY></HTML>",
        (
            "<div class='moz-cite-prefix'>On Monday GM wrote:</div><blockquote type='cite'>x"
            "</blockquote><p>A: fold</p>"
        ),
        "<div class='protonmail_quote'>B: fold</div>A: fold",
        "<?xml version='1.0' encoding='utf-16'?><html><body>A: fold</body></html>",
        "<style>p{}</style><script>B: fold</script><!-- B: fold --><p>A: fold",
    ],
)
def test_only_the_writers_own_words_are_left(html: str) -> None:
    """Whichever client wrote it, one line is left."""
    assert [line.strip() for line in html_to_text(html).splitlines() if line.strip()] == ["A: fold"]


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("A: fold<br>B: stay", ["A: fold", "B: stay"]),
        ("<div>A: fold</div><div>B: stay</div>", ["A: fold", "B: stay"]),
        ("<p>A: raise&nbsp;40,000</p><p>B: <b>stay</b></p>", ["A: raise 40,000", "B: stay"]),
        ("<ul><li>A: fold</li><li>B: stay</li></ul>", ["* A: fold", "* B: stay"]),
        ("<table><tr><td>A:</td><td>fold</td></tr><tr><td>B: stay</table>", ["A: fold", "B: stay"]),
        ("<pre>A: fold\nB: stay</pre>", ["A: fold", "B: stay"]),
        ("<p>A: fold</p><blockquote cite='y'>x</blockquote>B: stay", ["A: fold", "B: stay"]),
        ("A: raise 2000<sup>1</sup><br>B: stay", ["A: raise 2000^1", "B: stay"]),
        ("A: raise 2000<sub><b>0</b></sub>", ["A: raise 2000^0"]),
        ("The 9<sup>th</sup> of May", ["The 9th of May"]),
        ("", []),
        ("<>", ["<>"]),
    ],
)
def test_lines_stay_lines(html: str, lines: list[str]) -> None:
    """Blocks and breaks part lines, a row of a table is one, and inline answers count."""
    assert [line.strip() for line in html_to_text(html).splitlines() if line.strip()] == lines


def test_html_nested_beyond_reason_is_unreadable() -> None:
    """It is told apart from HTML without words."""
    with pytest.raises(UnreadableHtmlError):
        html_to_text("<ul><li>" * 20_000 + "A: fold")
    assert "A: fold" in html_to_text("<div>" * 250 + "A: fold")


def test_a_wide_table_is_not_padded() -> None:
    """Aligned columns would make 15,000 rows of 100,000 characters out of 256 kB."""
    html = "<table><tr><td>" + "x" * 100_000 + "<tr><td>a" * 15_000
    assert len(html_to_text(html)) < 200_000


@pytest.mark.parametrize(
    ("html", "struck", "dropped"),
    [
        ("<p>A: fold</p>", [], []),
        ("<p><s>A: fold</s></p>B: stay", ["A: fold", "B: stay"], []),
        ("A: raise <del>5</del> 40", ["A: raise 5 40"], []),
        ("<p style='text-decoration: line-through'>A: fold</p>", ["A: fold"], []),
        ("<p hidden>A: fold</p><s></s>", [], []),
        ("B: stay<blockquote type=cite>A: fold</blockquote>", [], ["A: fold"]),
        ("B: stay<div><div id=appendonsend></div>A: fold</div>C: fold", [], ["A: fold"]),
        ("B: stay<div><div id=appendonsend></div></div><p>C: fold</p>", [], ["C: fold"]),
    ],
)
def test_what_is_not_the_writers_own_is_kept_beside(
    html: str, struck: list[str], dropped: list[str]
) -> None:
    """So that it can be told: what he struck out, put back, and what was taken for a quote."""
    said = read_html(html)
    assert [line.strip() for line in said.struck.splitlines() if line.strip()] == struck
    assert [line.strip() for line in said.dropped.splitlines() if line.strip()] == dropped


def test_a_quote_below_an_attribution_leaves_its_mark() -> None:
    """Or what stands below it would be taken for what the attribution is of."""
    html = "<p>Joe wrote:</p><blockquote type=cite>A: fold</blockquote><p>A: stay</p>"
    kept = [line.strip() for line in html_to_text(html).splitlines() if line.strip()]
    assert kept == ["Joe wrote:", ">", "A: stay"]

"""HTML of mail to text: what the client quoted is dropped, the rest is rendered line by line."""

from __future__ import annotations

import re

from inscriptis import Inscriptis
from inscriptis.css_profiles import CSS_PROFILES
from inscriptis.model.config import ParserConfig
from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

# Nodes that hold the mail that is answered and nothing else.
_QUOTE_CLASSES = (
    "gmail_attr", "gmail_extra_quote", "yahoo_quoted", "moz-cite-prefix", "protonmail_quote",
    "tutanota_quote", "outlookmessageheader", "ms-outlook-mobile-reference-message",
    "zmail_extra", "moz-email-headers-table",
)  # fmt: skip
_QUOTE_IDS = ("mail-editor-reference-message-container", "olk_src_body_section", "yahoo_quoted")
# Nodes after which, among their siblings, the mail that is answered begins.
_QUOTE_STARTS = ("divrplyfwdmsg", "appendonsend")
_UNSAID = ("s", "strike", "del", "template")
_UNSAID_STYLE = re.compile(r"line-through|display:none|visibility:hidden|mso-hide:all")

_HTML_TAG = re.compile(r"<(/?)html\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_CONFIG = ParserConfig(css=CSS_PROFILES["strict"])


class UnreadableHtmlError(Exception):
    """The HTML can't be rendered: it is nested too deep."""


def html_to_text(html: str) -> str:
    """Return the writer's own text, "" where there is none; UnreadableHtmlError for hopeless HTML.

    A bottom-posted answer inside Gmail's quote container is kept: only the quote itself goes.
    """
    source = _mark_nested_documents(html).encode("utf-8", "replace")
    parser = HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        root = document_fromstring(source, parser=parser)
        _drop_unsaid(root)
        _drop_quotes(root)
        _flatten_tables(root)
        return str(Inscriptis(root, _CONFIG).get_text())
    except etree.ParserError:  # no element and no text at all
        return ""
    except RecursionError as error:
        raise UnreadableHtmlError("nested too deep") from error


def _mark_nested_documents(html: str) -> str:
    """Return HTML with each document inside the document made a blockquote.

    Yahoo wraps what it quotes in a second ``<html>``, which the parser would melt into the first.
    """
    start = _HTML_TAG.search(html)
    if start is None:
        return html
    depth = 1 if _TAG.sub("", html[: start.start()]).strip() else 0

    def marked(tag: re.Match[str]) -> str:
        nonlocal depth
        if tag.group(1):
            depth = max(depth - 1, 0)
            return "</blockquote>" if depth else tag.group()
        depth += 1
        return "<blockquote>" if depth > 1 else tag.group()

    return _HTML_TAG.sub(marked, html)


def _drop_unsaid(root: HtmlElement) -> None:
    """Drop what the writer struck out, which he has taken back, and what nobody sees."""
    for node in list(root.iter(etree.Element)):
        style = "".join((node.get("style") or "").casefold().split())
        if node.tag in _UNSAID or "hidden" in node.attrib or _UNSAID_STYLE.search(style):
            node.clear(keep_tail=True)


def _drop_quotes(root: HtmlElement) -> None:
    containers = [node for node in root.iter("div") if _has_class(node, ("gmail_quote",))]
    forwarded = [node for node in containers if node.find(".//blockquote") is None]
    quotes = [node for node in root.iter(etree.Element) if _is_quote(node)]
    starts = [node for node in root.iter("div") if _ends_with(node.get("id"), _QUOTE_STARTS)]
    for start in starts:
        parent = start.getparent()
        if parent is not None:
            for node in [start, *start.itersiblings()]:
                parent.remove(node)
    for node in forwarded + quotes:
        _drop(node)


def _flatten_tables(root: HtmlElement) -> None:
    """Make each row a line: in mail tables are layout, and aligning columns can take minutes."""
    for row in root.iter("table", "caption", "thead", "tbody", "tfoot", "tr"):
        row.tag = "div"
    for cell in root.iter("td", "th"):
        cell.tag = "span"
        cell.tail = f"  {cell.tail or ''}"


def _is_quote(node: HtmlElement) -> bool:
    if node.tag == "blockquote" or _ends_with(node.get("id"), _QUOTE_IDS):
        return True
    return _has_class(node, _QUOTE_CLASSES)


def _has_class(node: HtmlElement, names: tuple[str, ...]) -> bool:
    return any(_ends_with(name, names) for name in (node.get("class") or "").split())


def _ends_with(value: str | None, names: tuple[str, ...]) -> bool:
    """Return whether a name is one of ``names``, also behind or before a client's own affix.

    Outlook puts ``x_`` before each name it quotes again, Yahoo ``ydp…`` before its own and a
    number behind it.
    """
    folded = (value or "").casefold().rstrip("0123456789_")
    return folded.endswith(names)


def _drop(node: HtmlElement) -> None:
    """Take a node out with all it holds; the text behind it stays, on a line of its own."""
    parent = node.getparent()
    if parent is not None:
        gap = node.makeelement("br")
        gap.tail, node.tail = node.tail, None
        parent.replace(node, gap)

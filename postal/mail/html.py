"""HTML of mail to text: what the client quoted is dropped, the rest is rendered line by line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice

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
_STRUCK = ("s", "strike", "del")
_STRUCK_STYLE = re.compile(r"line-through")
_HIDDEN_STYLE = re.compile(r"display:none|visibility:hidden|mso-hide:all")
# What tells a blockquote that quotes from one that only indents, which is the writer's own.
_CITING = ("cite", "type", "title")
_CITING_NAME = re.compile(r"quote|cite|reply|^qt$")
_INDENTING_NAME = re.compile(r"indent")
_EDGE = re.compile(r"border-left(?:-\w+)?:(?!none|0|medium|initial)|border(?:-style)?:[^;]*solid")
# Outlook's line above the head of the mail that is answered.
_RULE = re.compile(r"border-top:(?!none|0)[^;]*\d")
_RULE_ALONE = re.compile(r"border:none|border-left:none|border-style:solidnonenone")
_HEAD_NODES, _HEAD_TEXT = 40, 600  # nodes and characters in which the fields of such a head begin
_TRACE = "\ue000"  # stands where a quote was dropped

_HTML_TAG = re.compile(r"<(/?)html\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_CONFIG = ParserConfig(css=CSS_PROFILES["strict"])


class UnreadableHtmlError(Exception):
    """The HTML can't be rendered: it is nested too deep."""


@dataclass(frozen=True, slots=True)
class HtmlText:
    """What HTML says: the writer's own text, and what of it is none.

    ``struck`` is the text with what he struck out put back, "" where he struck nothing out;
    ``dropped`` is what was taken for the mail that he answers.
    """

    own: str = field(default="", repr=False)
    struck: str = field(default="", repr=False)
    dropped: str = field(default="", repr=False)


def html_to_text(html: str) -> str:
    """Return the writer's own text, "" where there is none; UnreadableHtmlError for hopeless HTML.

    A bottom-posted answer inside Gmail's quote container is kept: only the quote itself goes.
    """
    return read_html(html).own


def read_html(html: str) -> HtmlText:
    """Return what HTML says; UnreadableHtmlError where it is hopeless."""
    source = _mark_nested_documents(html.replace(_TRACE, "")).encode("utf-8", "replace")
    try:
        root = _parsed(source)
        gone = _drop_quotes(_drop_unsaid(root, struck=True))
        own, dropped = _rendered(root), _rendered(gone)
        struck = ""
        if _strikes(source):
            root = _parsed(source)
            _drop_quotes(_drop_unsaid(root, struck=False))
            struck = _rendered(root)
        return HtmlText(own, "" if struck == own else struck, dropped if dropped.strip() else "")
    except etree.ParserError:  # no element and no text at all
        return HtmlText()
    except RecursionError as error:
        raise UnreadableHtmlError("nested too deep") from error


def _parsed(source: bytes) -> HtmlElement:
    parser = HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    return document_fromstring(source, parser=parser)


def _rendered(root: HtmlElement) -> str:
    _flatten_tables(root)
    _set_figures_apart(root)
    return _with_traces(str(Inscriptis(root, _CONFIG).get_text()))


def _strikes(source: bytes) -> bool:
    return re.search(rb"<(?:s|strike|del)\b|line-through", source, re.IGNORECASE) is not None


def _with_traces(text: str) -> str:
    """Return a text with a quoted line for each quote that was dropped below an attribution.

    Without it an attribution would stand right above what the writer put below the quote.
    """
    if _TRACE not in text:
        return text
    done: list[str] = []
    said = ""
    for line in text.split("\n"):
        if line.strip(f"{_TRACE} \t\u00a0*") or _TRACE not in line:
            done.append(line.replace(_TRACE, ""))
            said = done[-1].strip() or said
        elif said.endswith((":", "\uff1a")):
            done.append(">")
    return "\n".join(done)


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
        return "<blockquote cite>" if depth > 1 else tag.group()

    return _HTML_TAG.sub(marked, html)


def _drop_unsaid(root: HtmlElement, *, struck: bool) -> HtmlElement:
    """Drop what nobody sees, and, where ``struck``, what the writer struck out: he took it back.

    Returns the root.
    """
    for node in list(root.iter(etree.Element)):
        style = _style(node)
        hidden = node.tag == "template" or "hidden" in node.attrib or _HIDDEN_STYLE.search(style)
        if hidden or (struck and (node.tag in _STRUCK or _STRUCK_STYLE.search(style))):
            node.clear(keep_tail=True)
    return root


def _drop_quotes(root: HtmlElement) -> HtmlElement:
    """Take what is quoted out of a document and return it as a document of its own."""
    gone: HtmlElement = document_fromstring("<html><body></body></html>")
    shelf: HtmlElement = gone[0]
    containers = [node for node in root.iter("div") if _has_class(node, ("gmail_quote",))]
    forwarded = [node for node in containers if node.find(".//blockquote") is None]
    quotes = [node for node in root.iter(etree.Element) if _is_quote(node)]
    for node in forwarded + quotes:
        _drop(node, shelf)
    # What is left of these is no part of a quote: all that follows the first of them is one.
    start = next((node for node in root.iter("div") if _is_start(node)), None)
    if start is not None:
        _drop_from(start, shelf)
    return gone


def _drop_from(start: HtmlElement, shelf: HtmlElement) -> None:
    """Take out a node and all that follows it, also where it is wrapped in others."""
    node, within = start, start.getparent()
    later: list[HtmlElement] = [start]
    while within is not None and node.tag != "body":
        following = list(node.itersiblings())
        for one in following:
            within.remove(one)
        later += following
        if node is not start:
            node.tail = None
        node, within = within, within.getparent()
    parent = start.getparent()
    if parent is not None:
        parent.remove(start)
    shelf.extend(later)


def _flatten_tables(root: HtmlElement) -> None:
    """Make each row a line: in mail tables are layout, and aligning columns can take minutes."""
    for row in root.iter("table", "caption", "thead", "tbody", "tfoot", "tr"):
        row.tag = "div"
    for cell in root.iter("td", "th"):
        cell.tag = "span"
        cell.tail = f"  {cell.tail or ''}"


def _set_figures_apart(root: HtmlElement) -> None:
    """Put a ``^`` before raised or lowered figures: of 20000 with a footnote's 1 no sum is made."""
    for node in root.iter("sup", "sub"):
        if "".join(node.itertext()).strip()[:1].isdigit():
            node.text = f"^{node.text or ''}"


def _is_quote(node: HtmlElement) -> bool:
    if node.tag == "blockquote":
        return _is_citation(node)
    return _ends_with(node.get("id"), _QUOTE_IDS) or _has_class(node, _QUOTE_CLASSES)


def _is_citation(node: HtmlElement) -> bool:
    """Whether a blockquote quotes; one that only indents has no sign of it.

    What stands in such a one below an attribution is told for a quote by that, as text.
    """
    if any(name in node.attrib for name in _CITING) or _EDGE.search(_style(node)):
        return True
    before, around = node.getprevious(), node.getparent()
    if before is not None and _has_class(before, _QUOTE_CLASSES):
        return True
    if around is not None and _has_class(around, ("gmail_quote",)):
        return True
    names = [*(node.get("class") or "").casefold().split(), (node.get("id") or "").casefold()]
    return any(_CITING_NAME.search(name) and not _INDENTING_NAME.search(name) for name in names)


def _is_start(node: HtmlElement) -> bool:
    """Whether the mail that is answered begins with a node, whatever follows."""
    if _ends_with(node.get("id"), _QUOTE_STARTS):
        return True
    style = _style(node)
    if not (_RULE.search(style) and _RULE_ALONE.search(style)):
        return False
    within = islice(node.iterdescendants(), _HEAD_NODES)
    text = "".join([node.text or "", *((one.text or "") + (one.tail or "") for one in within)])
    return text[:_HEAD_TEXT].replace("\uff1a", ":").count(":") > 1


def _style(node: HtmlElement) -> str:
    return "".join((node.get("style") or "").casefold().split())


def _has_class(node: HtmlElement, names: tuple[str, ...]) -> bool:
    return any(_ends_with(name, names) for name in (node.get("class") or "").split())


def _ends_with(value: str | None, names: tuple[str, ...]) -> bool:
    """Return whether a name is one of ``names``, also behind or before a client's own affix.

    Outlook puts ``x_`` before each name it quotes again, Yahoo ``ydp…`` before its own and a
    number behind it.
    """
    folded = (value or "").casefold().rstrip("0123456789_")
    return folded.endswith(names)


def _drop(node: HtmlElement, shelf: HtmlElement) -> None:
    """Put a node with all it holds on a shelf; the text behind it stays, on a line of its own."""
    parent = node.getparent()
    if parent is not None:
        gap = node.makeelement("div")
        gap.text = _TRACE
        gap.tail, node.tail = node.tail, None
        parent.replace(node, gap)
        shelf.append(node)

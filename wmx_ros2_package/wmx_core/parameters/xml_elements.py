"""XML documents as trees of plain elements: read without trusting them, changed, and written.

Comments and the white space between elements are not kept; everything else is, as it stood.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, NoReturn
from xml.parsers import expat

MAX_ELEMENTS = 100_000
"""A parameter file of 128 axes has about 24,000."""
MAX_ATTRIBUTES = 16
"""Of one element; a parameter file needs 1."""
MAX_TEXT = 16 * 1024
"""Characters of one element's text; a parameter file needs about 20."""
MAX_MARKUP = 64 * 1024
"""Bytes of one tag or comment. No other thread of Python runs while the parser reads one."""
_PIECE = 16 * 1024
"""Bytes that the parser gets at a time."""
MAX_DEPTH = 32
"""A parameter file needs 6."""

BLANK = " \t\r\n"
"""White space in XML."""


class Element(NamedTuple):
    """One XML element: either its text or its children, whichever it has."""

    tag: str
    attributes: tuple[tuple[str, str], ...] = ()
    text: str = ""
    children: tuple["Element", ...] = ()


def parse(data: bytes) -> Element:
    """The elements of an XML document; ValueError names the reason."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"must be UTF-8, but is not at byte {error.start}") from None
    if "\0" in text:
        raise ValueError("must be text in UTF-8, but holds a NUL byte")
    builder = _Builder()
    # The encoding is given, so that one declared in the file cannot change its meaning.
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_dtd
    parser.StartElementHandler = builder.start
    parser.CharacterDataHandler = builder.characters
    parser.EndElementHandler = builder.end
    try:
        _feed(parser, data)
        return builder.root
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
    except ValueError as error:
        reason = str(error)
    raise ValueError(f"line {parser.CurrentLineNumber}: {reason}")


def _feed(parser: expat.XMLParserType, data: bytes) -> None:
    """Have `data` parsed in pieces: what the parser holds back of them is one tag or comment."""
    understood = 0
    for start in range(0, len(data), _PIECE):
        parser.Parse(data[start : start + _PIECE], False)
        understood = max(understood, parser.CurrentByteIndex)
        if start + _PIECE - understood > MAX_MARKUP:
            raise ValueError(f"a tag or comment longer than {MAX_MARKUP // 1024} KiB")
    parser.Parse(b"", True)


def _refuse_dtd(*_declaration: object) -> NoReturn:
    """Without a DTD there are no entities that expand for ever, and none that read files."""
    raise ValueError("a DTD (DOCTYPE, entities) is not allowed")


class _Builder:
    """Builds `root`, in which equal elements are one object.

    Real files repeat the same axis 128 times, and shared elements make a set small in memory and on
    its way to another process.
    """

    root: Element

    def __init__(self) -> None:
        self._open: list[tuple[str, Mapping[str, str], list[str], list[Element]]] = []
        self._shared: dict[Element, Element] = {}
        self._count = 0
        self._characters = 0
        """Of the text that grows, since the last tag."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._characters = 0
        self._count += 1
        if self._count > MAX_ELEMENTS:
            raise ValueError(f"more than {MAX_ELEMENTS} elements")
        if len(attributes) > MAX_ATTRIBUTES:
            raise ValueError(f"{shown(name)} has more than {MAX_ATTRIBUTES} attributes")
        if len(self._open) == MAX_DEPTH:
            raise ValueError(f"elements nested deeper than {MAX_DEPTH}")
        self._open.append((name, attributes, [], []))

    def characters(self, content: str) -> None:
        self._characters += len(content)
        if self._characters > MAX_TEXT:
            name = self._open[-1][0]
            raise ValueError(f"the text of {shown(name)} has more than {MAX_TEXT} characters")
        self._open[-1][2].append(content)

    def end(self, name: str) -> None:
        self._characters = 0
        _, attributes, texts, children = self._open.pop()
        text = "".join(texts)
        if children:
            if stray := text.strip(BLANK):
                raise ValueError(f"text {shown(stray)} between the elements of {shown(name)}")
            text = ""
        element = Element(name, tuple(attributes.items()), text, tuple(children))
        if self._open:
            self._open[-1][3].append(self._shared.setdefault(element, element))
        else:
            self.root = element


def with_text(parent: Element, path: Sequence[str], text: str) -> Element:
    """`parent` with `text` in the element at `path` below it, which is made where it is missing."""
    if not path:
        return parent._replace(text=text)
    tag, *rest = path
    tags = [child.tag for child in parent.children]
    index = tags.index(tag) if tag in tags else len(tags)
    old = parent.children[index] if tag in tags else Element(tag)
    return with_child(parent, index, with_text(old, rest, text))


def with_child(parent: Element, index: int, child: Element) -> Element:
    children = (*parent.children[:index], child, *parent.children[index + 1 :])
    return parent._replace(text="", children=children)


def completed(element: Element, model: Element) -> Element:
    """`element` with everything below `model` that is missing in it, at every depth."""
    if not model.children:
        return element
    models = {child.tag: child for child in model.children}
    own = (
        completed(child, models[child.tag]) if child.tag in models else child
        for child in element.children
    )
    tags = {child.tag for child in element.children}
    missing = (child for child in model.children if child.tag not in tags)
    children = (*own, *missing)
    if children == element.children:
        return element  # the same object, which others may share
    return element._replace(text="", children=children)


def replaced(element: Element, changes: Element) -> Element:
    """`element` with the text of each element below `changes` in its own, at every depth.

    ValueError names what it does not have.
    """
    if not changes.children:
        if element.children:
            raise ValueError(f"{shown(changes.tag)} holds no elements")
        return element._replace(text=changes.text)
    places = {child.tag: place for place, child in enumerate(element.children)}
    for change in changes.children:
        if change.tag not in places:
            raise ValueError(f"there is no {shown(change.tag)} in {shown(element.tag)}")
        place = places[change.tag]
        element = with_child(element, place, replaced(element.children[place], change))
    return element


def to_xml(root: Element) -> str:
    """The document of `root`: tabs, LF, to be encoded as UTF-8."""
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *_lines(root, ""), ""])


def shown(text: str, limit: int = 60) -> str:
    """`text` quoted and escaped, so that whatever it holds can be printed and sent as UTF-8."""
    return repr(text) if len(text) <= limit else f"{text[:limit]!r}..."


def _lines(element: Element, indent: str) -> Iterator[str]:
    # Here, because it reads in urllib and http: 15 ms of a node's start.
    from xml.sax.saxutils import escape, quoteattr

    attributes = "".join(f" {name}={quoteattr(text)}" for name, text in element.attributes)
    start, end = f"{indent}<{element.tag}{attributes}>", f"</{element.tag}>"
    if not element.children:
        # A carriage return that was written as a reference would otherwise read back as LF.
        yield start + escape(element.text, {"\r": "&#13;"}) + end
        return
    yield start
    for child in element.children:
        yield from _lines(child, indent + "\t")
    yield indent + end

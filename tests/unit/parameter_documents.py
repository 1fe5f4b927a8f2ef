"""Parameter files that tests write."""

import unicodedata
from xml.etree import ElementTree

from hypothesis import strategies as st


def document(*axes: str) -> bytes:
    """A file with one AxisParameters per text, numbered from 0."""
    elements = (
        f'<AxisParameters Axis="{number}">{sections}</AxisParameters>'
        for number, sections in enumerate(axes)
    )
    return f'<Parameters ver="1.00">{"".join(elements)}</Parameters>'.encode()


def element(section: str, name: str, text: str) -> str:
    return f"<{section}><{name}>{text}</{name}></{section}>"


def elements(xml: bytes) -> list[tuple[str, dict[str, str], str]]:
    """Every element with its attributes and text, read by another parser than ours."""
    return [
        (item.tag, item.attrib, (item.text or "") if len(item) == 0 else "")
        for item in ElementTree.fromstring(xml).iter()
    ]


SOME_FILE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<Parameters ver="1.00" made="&quot;by&quot; hand">\n'
    "\t<GlobalParameters>\n\t\t<Future><Setting>on</Setting></Future>\n\t</GlobalParameters>\n"
    "\t<Future/>\n"
    '\t<AxisParameters Axis="7">\n'
    "\t\t<FeedbackParam>\n\t\t\t<InPosWidth>0.50</InPosWidth>\n"
    "\t\t\t<Unknown unit='u'> a &lt; b &amp; c </Unknown>\n\t\t</FeedbackParam>\n"
    "\t\t<ClosedLoopParam><pid><deadband>1.</deadband></pid>"
    "<sensor><analogData><type>3</type></analogData></sensor></ClosedLoopParam>\n"
    "\t</AxisParameters>\n"
    '\t<AxisParameters Axis="0"/>\n'
    "</Parameters>\n"
)


names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.\-]{0,8}", fullmatch=True).filter(
    lambda name: not name.lower().startswith("xml")
)
# Every character that XML can hold.
characters = st.one_of(
    st.sampled_from("\t\n\r"),
    st.characters(min_codepoint=0x20).filter(
        lambda c: unicodedata.category(c) not in ("Cc", "Cs") and c not in "\ufffe\uffff"
    ),
)
texts = st.text(characters, max_size=12)


def escaped(text: str) -> str:
    for character in "&<>\"'\r":
        text = text.replace(character, f"&#{ord(character)};")
    return text


def rendered(name: str, attributes: dict[str, str], content: str | list[str]) -> str:
    attribute_text = "".join(f" {key}='{escaped(text)}'" for key, text in attributes.items())
    body = escaped(content) if isinstance(content, str) else "".join(f"\n{c}" for c in content)
    return f"<{name}{attribute_text}>{body}</{name}>"


unknown_names = names.map(lambda name: f"X{name}")
unknown_leaves = st.builds(
    rendered, unknown_names, st.dictionaries(names, texts, max_size=2), texts
)
unknown = st.recursive(
    unknown_leaves,
    lambda inner: st.builds(
        rendered,
        unknown_names,
        st.dictionaries(names, texts, max_size=2),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=6,
)

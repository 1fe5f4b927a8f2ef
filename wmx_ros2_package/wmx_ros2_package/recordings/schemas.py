"""The definitions of message types, as MCAP files hold them.

A file explains itself: it has the text of each interface file that its messages are made of, in the
encoding `ros2msg` of the MCAP registry: the type's own, then each that it uses, after a line of
equals signs and a line with its name.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

_SEPARATOR = "=" * 80
_BUILTIN = {
    *("bool", "byte", "char", "float32", "float64", "string", "wstring"),
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
}


class UnknownType(Exception):
    """A type whose definition is not installed; the text names it."""


@cache
def definition(name: str) -> bytes:
    """The definition of message type `name`, such as std_msgs/msg/Bool, or UnknownType."""
    texts = {name: _text(name)}
    todo = [name]
    while todo:
        outer = todo.pop()
        for used in _uses(texts[outer], outer.split("/")[0]):
            if used not in texts:
                texts[used] = _text(used)
                todo.append(used)
    (own, *others) = texts.items()
    parts = [own[1]]
    for each, text in others:
        package, _, kind = each.split("/")
        parts.append(f"{_SEPARATOR}\nMSG: {package}/{kind}\n{text}")
    return "\n".join(parts).encode()


@cache
def is_of_this_version(name: str, recorded: bytes) -> bool:
    """Whether messages of type `name` have the fields that they had where they were recorded."""
    try:
        return _fields(definition(name)) == _fields(recorded)
    except UnknownType:
        return False


def _fields(text: bytes) -> list[str]:
    """The lines of a definition, without comments, which change nothing."""
    lines = (line.partition(b"#")[0].split() for line in text.splitlines())
    return [b" ".join(words).decode(errors="replace") for words in lines if words]


def _text(name: str) -> str:
    # Here, for `wmx` imports this file, and explains by itself that there is no ROS.
    from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

    try:
        package, folder, kind = name.split("/")
        share = get_package_share_directory(package)
        return Path(share, folder, f"{kind}.msg").read_text()
    except (ValueError, OSError, PackageNotFoundError) as error:
        raise UnknownType(f"there is no definition of {name!r}: {error}") from None


def _uses(text: str, package: str) -> Iterator[str]:
    """The types of other messages in `text`, of which those without a package are of `package`."""
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if len(words) < 2:
            continue
        kind = words[0].split("[")[0].split("<")[0]
        if kind in _BUILTIN:
            continue
        if kind == "Header":
            kind = "std_msgs/Header"
        owner, _, base = kind.rpartition("/")
        yield f"{(owner or package).split('/')[0]}/msg/{base}"

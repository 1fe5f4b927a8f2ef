"""What can go wrong with recordings, and the package that they need."""

MISSING = (
    "the Python package mcap is missing, which writes and reads recordings:\n"
    "    pip install mcap\n"
    "in the environment of the nodes (MIT license)"
)


class RecordingError(Exception):
    """A recording that cannot be written or read; the text names the file and the reason."""


def require_mcap() -> None:
    """RecordingError without the package `mcap`."""
    try:
        import mcap.writer
    except ImportError:
        raise RecordingError(MISSING) from None
    if not hasattr(mcap.writer.Writer, "flush"):
        raise RecordingError("the Python package mcap is too old: pip install 'mcap>=1.6'")

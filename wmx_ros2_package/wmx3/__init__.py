"""The driver `wmx3`: the driver interface over the vendor's SDK.

`driver` makes it of its parts: `engine`, `motion`, `io`, `ecat` and `reactions`. `loading` finds
the vendor's module or our binding, `sdk` calls it, and a `session` is one device on it. The other
files are one thing each that the SDK does in a way of its own.
"""

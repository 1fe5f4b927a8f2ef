"""The driver `wmx3`: the driver interface over the vendor's SDK.

`device` is the driver, with `motion`, `io`, `ecat` and `reactions` as its parts; `loading` finds
the vendor's module or our binding, `sdk` calls it. The other files are one thing each that the SDK
does in a way of its own.
"""

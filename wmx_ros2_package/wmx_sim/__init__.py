"""A simulated WMX engine, its process, and the vendor's Python module over it.

`engine` is the simulated machine, `server` shares one engine among processes, `sdk` is the module
`WMX3ApiPython` for programs, and `compare` compares programs with logs of the real engine.
"""

"""The vendor's Python module over the simulated engine: `python3 -m wmx_sim program.py`.

A program for the vendor's SDK runs unchanged, with no hardware, licence or Windows: `run` gives it
a module `WMX3ApiPython` whose classes are made here (`module`), over an engine in the program's
own process (`runtime`). What is not simulated answers the vendor's code for it, and is reported
once.
"""

"""Recordings: what happened on a machine, in memory and in files that other programs open, too.

| module     | what it is                                                                      |
|------------|---------------------------------------------------------------------------------|
| `ring`     | the newest messages, bounded in time, bytes and number                          |
| `schemas`  | the definitions of message types, from the interface packages                   |
| `files`    | files of the format MCAP: written in chunks, and kept within a disk limit       |
| `reading`  | files read back, also those that a crash has cut off                            |
| `mending`  | whole files of what a crash has left                                            |
| `summary`  | what a recording shows: events, extents, curves                                 |

`docs/recording.md` describes what is in a file.
"""

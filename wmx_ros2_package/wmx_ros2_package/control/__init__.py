"""The one path of a motion: from a client's request through the gate to the driver, and to its end.

| module          | what it is                                                                     |
|-----------------|--------------------------------------------------------------------------------|
| `request`       | what a client asks for, and the begin and the end that are published of it     |
| `axis_file`     | what all processes on one engine share: owners, last stops, the emergency stop |
| `locked_file`   | locks on single bytes of a file: who is alive, who is commanding an axis       |
| `ownership`     | who may command an axis                                                        |
| `gate`          | the only caller of the driver's motion commands                                |
| `tracker`       | the motions that are open: one begin and one end for each                      |
| `supervisor`    | a node's one loop that reads the status                                        |
| `leases`        | when a stream of commands has to pause before it moves axes again              |
| `conditions`    | the one table of what can be wrong with an axis                                |
| `stopping`      | the one routine that stops axes and waits until they rest                      |
| `execution`     | one trajectory while it is carried out; `executor` has all of a node           |
| `unowned`       | motions whose node has died                                                    |

Nothing here knows ROS. `docs/architecture.md` draws the path and the states of a motion.
"""

"""The one path of a motion: from a client's request through the gate to the driver, and to its end.

| module            | what it is                                                                   |
|-------------------|------------------------------------------------------------------------------|
| `leases`          | ends what has no client; `node_base/handlers` ask it before they read a      |
|                   | command, whether that was sent before a suspension                           |
| `request`         | what a client asks for, and the begin and end that are published of it       |
| `gate`            | the only caller of what moves axes; once it is open, it asks in this order:  |
| `settings/`       | what clients have set: whether any of that is lost                           |
| `stop_inputs`     | inputs that stop axes in the engine: whether one is on                       |
| `gate` itself     | whether it was asked before a stop; this again after it has begun            |
| `speed`           | whether the system is paused; later the command goes through it, slowed      |
| `ownership`       | who owns the axis: who moved it last; whoever wants it next asks a status    |
|                   | whether it still moves                                                       |
| `axis_file/`      | where all processes on one engine share this: owners, last stops, speed      |
| `dead_man`        | fed before the command, by `engine.feed_dead_man`; stops axes of a dead node |
| `reported_motion` | the driver's commands, each reported as a value: published, and replayed     |
| `tracker`         | holds ends while a command is given; begin after its answer, and one end     |
| `supervisor`      | a node's one loop that reads the status, for all that follow it              |
| `motion_ends`     | whether a motion is over, its motors in position, and why it ended           |
| `conditions`      | what can be wrong with an axis: why motions end, what is diagnosed           |
| `stops`           | the stops of a node; `stopping` commands one, and waits for rest             |
| `following/`      | trajectories while they are carried out                                      |
| `unowned`         | motions whose node has died                                                  |
| `disarming`       | axes made safe: stopped, servos off, outputs at safe values                  |

Nothing here knows ROS. `docs/architecture.md` draws the path and the states of a motion.
"""

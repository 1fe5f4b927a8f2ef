"""The one path of a motion: from a client's request through the gate to the driver, and to its end.

| module                 | what it is                                                              |
|------------------------|-------------------------------------------------------------------------|
| `request`              | what a client asks for, and the begin and end that are published of it  |
| `conditions`           | what can be wrong with an axis: why motions end, what is diagnosed      |
| `shared_axis_file`     | what processes on one engine share: owners, last stops, emergency stop  |
| `axis_records`         | what stands in that file, and whether nodes can have written it         |
| `renewable_file`       | that file where it is lost: the next one takes its place                |
| `locked_file`          | locks on single bytes of a file: who is alive, who commands an axis     |
| `ownership`            | who may command an axis                                                 |
| `stop_inputs`          | inputs that stop axes in the engine: motion is refused while one is on  |
| `settings_document`    | what clients have set; `settings_store`: as all processes share it      |
| `kept_settings`        | records what clients set, and blocks motion where something was lost    |
| `settings_restorer`    | puts it in force on a new engine, which `settings_comparison` compares  |
| `speed`                | the override and the pause of the system; calls go through it           |
| `dead_man`             | fed before each command: the engine stops axes of a node that is dead   |
| `gate`                 | the only caller of what moves axes by the driver; asks all of the above |
| `command_reports`      | each of these calls as a value: it is published, recorded and replayed  |
| `tracker`              | the motions that are open: each has one begin and one end               |
| `motion_ends`          | why a motion ended, read from the status of its axes                    |
| `supervisor`           | a node's one loop that reads the status                                 |
| `leases`               | what ends without its client: streams and motions                       |
| `stops`                | the stops of a node; `stopping` commands one, and waits for rest        |
| `trajectory_execution` | one trajectory while it is carried out; `trajectory_executor` has all   |
| `unowned`              | motions whose node has died                                             |
| `disarming`            | axes made safe: stopped, servos off, outputs at safe values             |

Nothing here knows ROS. `docs/architecture.md` draws the path and the states of a motion.
"""

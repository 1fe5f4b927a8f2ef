"""What every node is made of, so that a node itself is its parameters, topics and services.

| module                    | what it is                                                           |
|---------------------------|----------------------------------------------------------------------|
| `kind`, `traits`          | the description of a node; the part of it that this folder reads     |
| `managed_node`            | the rclpy node: it is configured, activated, deactivated, cleaned up |
| `context`                 | opens the driver; binds a behaviour's topics and services, its hooks |
| `host`                    | rclpy for the parts of a node: makes publishers, services; log, time |
| `runner`                  | the process: it spins nodes until a signal, then closes them         |
| `handlers`, `actions`     | take in requests, goals, and commands, which they read in the worker |
| `refusals`, `waiting`     | refusals in words; coroutines, so that no callback waits             |
| `threads`                 | the worker, in which `handlers` work one after the other; planner    |
| `device`, `attachment`    | opening and closing the engine's device; whether the node is ready   |
| `motion_path`             | the parts of `control`, connected; looks whether motions are over    |
| `motion_topics`           | begin, end, leases of its motions as messages; commands, if recorded |
| `servo_start`             | parameters and servos as a node attaches                             |
| `trajectories`            | what carries out the node's trajectories                             |
| `parameters` and its like | what a node can be set to, and what files may set                    |
| `domain/`, `namesakes`    | other nodes and programs: those found, a second one of a name        |
| `rclpy_compat`, `tuning`  | what rclpy and Linux do not offer as it is needed                    |
"""

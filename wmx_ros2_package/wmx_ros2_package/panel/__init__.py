"""The panel: a machine in the browser, a process of its own over the client library.

    command         what is started: options, and what is refused
    access          who may reach the panel: addresses, token, origin of a page
    log_writer      the log, for which nothing waits
    ending          what it still moves is stopped before its process ends
    front           the thread of the network: stops and the live status; all else is for the pages
    stops           the stops that pages ask for
    safety          who may move, what holds a motion, what ends it: rules without a browser
    orders          what a page asks of the machine, checked and logged
    remedies        the orders that clear what blocks an axis
    machine_link    the machine: found, lost and found again; its newest status
    description     what the machine consists of
    open_motions    the motions that are open
    alarms          what is broken now, in a line
    event_log       what has happened, filtered and exported
    history         the statuses of the last ten minutes, for plots
    scope           curves of any quantities of any axes over one time
    file_reader, file_process   a process that reads files: trajectories, recordings, robots
    live            the newest status to each browser, and its answer
    parameter_edits, parameter_rows    the engine's parameters: what is changed, what is shown
    trajectories    what robots do
    frame           what all pages have: stop, control, menu
    pages           one file a page

`docs/panel.md` is its manual.
"""

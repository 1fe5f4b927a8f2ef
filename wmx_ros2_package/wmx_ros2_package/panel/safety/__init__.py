"""Who may move, what holds a motion, and what ends it: rules that need no browser and no network.

    emergency_stop  who stopped the machine, and what it takes to release that
    pause           the same of the pause, and the speed of all axes
    page_control    who may move the machine: one page at most
    other_panels    the same across panels
    heartbeat       by what an order proves that it is of now
    held_buttons    a jog that lasts as long as a button is held

`stops` and `orders`, beside this room, carry out what these rules allow.
"""

"""`python3 -m wmx3_sim.compare FOLDER`: the former name of `python3 -m wmx_sim.compare FOLDER`."""

import sys

from wmx_sim.compare.__main__ import main

if __name__ == "__main__":
    sys.exit(main())

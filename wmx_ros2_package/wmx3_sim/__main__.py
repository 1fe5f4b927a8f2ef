"""`python3 -m wmx3_sim program.py`: the former name of `python3 -m wmx_sim program.py`."""

import sys

from wmx_sim.__main__ import main

sys.exit(main())

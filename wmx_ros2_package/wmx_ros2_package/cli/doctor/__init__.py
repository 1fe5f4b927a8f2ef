"""`wmx doctor`: why nothing works, and what is right.

Each file of this folder holds the checks of one subject. A check takes a `Subject`, everything
that is examined, and yields `Finding`s. Nothing is changed and no system needs to run.
"""

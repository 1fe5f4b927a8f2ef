"""The file that all processes on one engine share, so that they need no server among them.

`shared` is what a member does with it; `records` is its layout. All of it is read and written by
`renewable`, which goes on with another file where it is lost; `locked` has its locks, by which the
kernel keeps who is alive.
"""

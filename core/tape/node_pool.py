"""Nodes of finished sweeps, which nobody holds, kept to be recorded again."""

import sys
from collections import deque

# Python's collector looks at all there is after so many objects made and not yet freed; in a process with PyTorch that
# takes 110 ms. A tape of 9,000 nodes brings it on with every sixth call where nodes are made anew, with every fifteenth
# where they are used again.
SPARE: deque = deque(maxlen=1 << 14)
take_spare = SPARE.pop


def _count_alone():
    """What `getrefcount` says of a node that a local name alone holds; never found where threads run in parallel, which
    might take one node twice."""
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        return -1
    node = object()
    return sys.getrefcount(node)


ALONE = _count_alone()

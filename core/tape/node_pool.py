"""Nodes of sweeps whose trace ended with them, kept to be recorded again."""

import gc
import sys
from collections import deque
from operator import call

# Python's collector looks at all there is after so many objects made and not yet freed; in a process with PyTorch that
# takes 110 ms. A tape of 9,000 nodes brings it on with every sixth call where nodes are made anew, with every fifteenth
# where they are used again.
SPARE: deque = deque(maxlen=1 << 14)
take_spare = SPARE.pop
GROWTH = 1 << 14  # nodes made anew, between which a tape puts off what full collections would find


def put_off_full_collection():
    """Count what a long tape has made so far among what is old, without looking at it.

    Python goes through everything that is alive when what is new makes up a quarter of it: for a tape, again and again,
    while none of its nodes is garbage. Of a gradient of a million operations that took a fifth of the time. Frozen and
    released at once, objects lie where a collection of the young ones would leave them, and the counts start anew; the
    young are looked at as before, in between. It changes nothing that lasts, so an exception leaves nothing behind, and
    no other thread runs between the two. What the user froze stays frozen: then nothing is done.
    """
    if POOLED and gc.isenabled() and not gc.get_freeze_count():
        deque(map(call, (gc.freeze, gc.unfreeze)), 0)


# Whether there is a pool: where threads run in parallel, two might take one node.
POOLED = getattr(sys, "_is_gil_enabled", lambda: True)()

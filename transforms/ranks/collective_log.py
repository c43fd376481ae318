"""Log of the collectives that a rank called since ranks last compared them."""

from hashlib import blake2b

import numpy as np

from ...core.errors import CollectiveMismatchError

LENGTH = 256  # known calls between two comparisons
WIDTH = 12  # bytes of a token


class CollectiveLog:
    """The records that a group keeps of the calls of known lines, in order; the last part of each is its token.

    A token stands for lines that met when they were first called, so it is the same on all ranks. Two calls of one kind
    that a rank makes in the other order meet as if nothing were wrong: only their tokens tell.
    """

    __slots__ = ("calls",)

    def __init__(self):
        self.calls = []

    def extended(self, call):
        """Note one more call; False, and nothing is noted, once there are so many that they should be compared."""
        if len(self.calls) >= LENGTH:
            return False
        self.calls.append(call)
        return True

    def digest(self):
        """Twelve bytes that tell trails apart."""
        return blake2b(b"".join([call[3] for call in self.calls]), digest_size=WIDTH).digest()

    def row(self):
        """All tokens, in an array of fixed length."""
        tokens = b"".join([call[3] for call in self.calls])
        return np.frombuffer(tokens.ljust(LENGTH * WIDTH, b"\0"), np.uint8)

    def parted(self, rows):
        """The first position at which the trails of several ranks, as their `row`s, differ."""
        tokens = rows.reshape(len(rows), LENGTH, WIDTH)
        return int(np.flatnonzero((tokens != tokens[0]).any(axis=(0, 2)))[0])

    def what(self, place):
        """The call of this rank there, None if there is none."""
        return self.calls[place][2] if place < len(self.calls) else None

    def error(self, place, words):
        """The message about trails that differ from `place` on; `words` are those of the ranks."""
        ago = len(self.calls) - place
        told = "; ".join(f"rank {rank} called {text}" for rank, text in words.items())
        return CollectiveMismatchError(
            f"the ranks of a mesh called collectives in different order, {ago} call{'s' * (ago != 1)} ago: {told}; "
            "each took the values of the other, and what was computed since is wrong: let every rank call the same "
            "ones in the same order; Mesh(…, check='always') compares each call before it is made")

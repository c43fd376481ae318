"""Detect in-place writes between the use of an array and its pullback: fingerprints of large saved arrays."""

import weakref

from ...core.errors import MutationError
from ..scope.debug_modes import modes

_SAMPLES = 64
COPY_LIMIT = 4096  # bytes: smaller user arrays are copied when saved, larger ones fingerprinted
LARGE = 1 << 20  # bytes of an array from which a sweep looks for operations to take in blocks


def fingerprint(array):
    """64 evenly spaced elements as bytes (0.3 us); every byte in `debug_mutation`."""
    if modes().mutation:
        return array.tobytes()
    flags = array.flags
    if flags.c_contiguous:
        flat = array.reshape(-1)
    elif flags.f_contiguous:
        flat = array.T.reshape(-1)
    else:
        return array[tuple(slice(None, None, max(1, n // 4)) for n in array.shape)].tobytes()
    return flat[:: max(1, flat.size // _SAMPLES)].tobytes()


class Guards:
    """Arrays to look at again, by weak reference: a guard keeps nothing alive. `large`: there is a large one."""

    __slots__ = ("watched", "large")

    def __init__(self):
        self.watched = {}
        self.large = False

    def watch(self, array):
        """Remember the contents of `array` as they are now; the first look counts."""
        known = self.watched.get(id(array))
        if known is None or known[0]() is not array:
            if array.nbytes >= LARGE:
                self.large = True
            self.watched[id(array)] = (weakref.ref(array), fingerprint(array))

    def check(self, who, instead):
        """Raise if a watched array was written to since; `who` needs it as it was; `instead` of writing do this."""
        changed = self.changed()
        if changed is not None:
            raise MutationError(
                f"an array of shape {changed.shape} and dtype {changed.dtype} that {who} needs was written to after it "
                f"was used; copy it before writing, or {instead}")

    def changed(self):
        """The first watched array that differs from its fingerprint, or None."""
        for ref, print_ in list(self.watched.values()):
            array = ref()
            if array is not None and fingerprint(array) != print_:
                return array
        return None


"""Numbers given once for all axes."""

from collections.abc import Iterable
from itertools import repeat


def ntuple(n, name="parse"):
    """A function that repeats a number `n` times, and leaves a sequence as it is."""

    def parse(x):
        return tuple(x) if isinstance(x, Iterable) else tuple(repeat(x, n))

    parse.__name__ = parse.__qualname__ = name
    return parse


_single = ntuple(1, "_single")
_pair = ntuple(2, "_pair")
_triple = ntuple(3, "_triple")
_quadruple = ntuple(4, "_quadruple")


def reverse_repeat_tuple(t, n):
    """The entries from the last to the first, each `n` times: paddings as `pad` takes them."""
    return tuple([x for x in reversed(t) for _ in range(n)])


def list_with_default(out_size, defaults):
    """Sizes with the last defaults in place of None."""
    if isinstance(out_size, int | float):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    return [d if v is None else v for v, d in zip(out_size, defaults[-len(out_size):])]


def consume_prefix_in_state_dict_if_present(state_dict, prefix):
    """Take a prefix away from the names of a state dict, and from its metadata, in place.

    >>> from collections import OrderedDict
    >>> state = OrderedDict({"module.weight": 1})
    >>> consume_prefix_in_state_dict_if_present(state, "module.")
    >>> list(state)
    ['weight']
    """
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix):]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is None:
        return
    for key in list(metadata):
        if key and (key == prefix.replace(".", "") or key.startswith(prefix)):
            metadata[key[len(prefix):]] = metadata.pop(key)

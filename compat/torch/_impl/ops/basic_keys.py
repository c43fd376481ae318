"""Basic indices: refusals, the form in which they make views, the names of their nodes."""

def check_basic(key, shape, alone):
    """torch's errors for a basic index; `alone` says that the index was given without a tuple."""
    used = sum(k is not None and k is not Ellipsis for k in key)
    if used > len(shape):
        if not shape and alone:
            if type(key[0]) is slice:
                raise IndexError("slice() cannot be applied to a 0-dim tensor.")
            raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` "
                             "in C++ to convert a 0-dim tensor to a number")
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
    axis = 0
    for place, k in enumerate(key):  # torch's messages count places of the index
        if k is Ellipsis:
            axis += len(shape) - used
        elif k is not None:
            if type(k) is int and not -shape[axis] <= k < shape[axis]:
                raise IndexError(f"index {k} is out of bounds for dimension {place} with size {shape[axis]}")
            axis += 1


def useful(index, shape):
    """A basic index without slices that take a whole axis, and with an Ellipsis; torch makes no view for those."""
    used = sum(k is not None and k is not Ellipsis for k in index)
    axis = 0
    out = []
    for k in index:
        if k is Ellipsis:
            axis += len(shape) - used
        elif k is None:
            out.append(k)
            continue
        else:
            if type(k) is slice and (k.start in (None, 0)) and k.step in (None, 1) and (
                    k.stop is None or k.stop >= shape[axis]):
                k = _WHOLE
            axis += 1
        out.append(k)
    if Ellipsis in out:  # whole axes behind it count from the end
        return tuple(out) if any(k is not Ellipsis and k is not _WHOLE for k in out) else (Ellipsis,)
    while out and out[-1] is _WHOLE:
        out.pop()
    return (*out, Ellipsis)


_WHOLE = slice(None)


def node_of(index):
    """torch's name for the node of a basic index."""
    kinds = [k for k in index if k is not Ellipsis and k is not _WHOLE]
    if not kinds:
        return "AliasBackward0"
    last = kinds[-1]
    return ("SelectBackward0" if type(last) is int else "UnsqueezeBackward0" if last is None else "SliceBackward0")

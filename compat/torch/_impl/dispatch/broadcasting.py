"""torch's error for shapes that do not broadcast."""


def check_broadcast(a, b):
    """torch's error for shapes that do not broadcast."""
    x, y = getattr(a, "shape", ()), getattr(b, "shape", ())
    if x == y:
        return
    for i in range(1, min(len(x), len(y)) + 1):
        if x[-i] != y[-i] and x[-i] != 1 and y[-i] != 1:
            raise RuntimeError(f"The size of tensor a ({x[-i]}) must match the size of tensor b ({y[-i]}) at "
                               f"non-singleton dimension {max(len(x), len(y)) - i}")

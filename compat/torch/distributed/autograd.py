"""torch.distributed.autograd: names that programs import; their use is refused."""

from .._impl.dispatch.unbuilt_parts import parts as _parts

globals().update(_parts("distributed.autograd", "DistAutogradContext context", "backward get_gradients"))


def is_available():
    """False: there is one process."""
    return False

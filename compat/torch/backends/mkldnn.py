"""torch.backends.mkldnn: not here; its switches are kept, and change nothing."""

from .._impl.platform.queries import flags_of as _flags_of

enabled = True
deterministic = allow_tf32 = False


def is_available():
    """False: it is not here."""
    return False


flags = _flags_of(globals())

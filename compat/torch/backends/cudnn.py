"""torch.backends.cudnn: not here; its switches are kept, and change nothing."""

from .._impl.platform.queries import flags_of as _flags_of

enabled = True
benchmark = deterministic = False
benchmark_limit = 10
allow_tf32 = True


def is_available():
    """False: it is not here."""
    return False


def version():
    """None: it is not here."""
    return None


def is_acceptable(tensor):
    """False: it is not here."""
    return False


flags = _flags_of(globals())

"""torch.backends.mps: not here; its switches are kept, and change nothing."""

def is_available():
    """False: it is not here."""
    return False


def is_built():
    """False: it is not here."""
    return False

"""torch.backends.openmp: not here; its switches are kept, and change nothing."""

def is_available():
    """False: it is not here."""
    return False

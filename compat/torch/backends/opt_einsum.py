"""torch.backends.opt_einsum: it is here, and finds the order of contractions."""

enabled = True
strategy = "auto"


def is_available():
    """True: covector needs it."""
    return True

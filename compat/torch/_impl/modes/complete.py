"""The exception that ends a recomputation as soon as all saved tensors are there."""


class Complete(BaseException):  # noqa: N818 (nothing is wrong: what turns errors into others lets it pass)
    """All that is needed has been computed again. Who writes beside what is recorded does so before it passes on."""

"""torch.backends.cuda: not here; its switches are kept, and change nothing."""


class matmul:  # noqa: N801 (torch's name)
    """Switches of products of matrices on a device."""

    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True


def is_built():
    """False: it is not here."""
    return False

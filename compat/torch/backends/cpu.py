"""torch.backends.cpu: which of PyTorch's kernels for the processor are here."""

__all__ = ["get_cpu_capability"]


def get_cpu_capability():
    """"DEFAULT", PyTorch's word for kernels that are written for no instruction set: NumPy chooses its own."""
    return "DEFAULT"

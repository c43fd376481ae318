"""torch.nn.attention: which kernel computes scaled dot product attention. Here there is one, `SDPBackend.MATH`."""

import contextlib
import enum

from ..._impl.dispatch import surface as _surface


class SDPBackend(enum.IntEnum):
    """Kernels of scaled dot product attention, with PyTorch's numbers."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Choose among kernels of attention; RuntimeError where `SDPBackend.MATH`, the only one here, is not among them.

    >>> import covector.compat.torch as torch
    >>> from covector.compat.torch.nn.attention import SDPBackend, sdpa_kernel
    >>> x = torch.ones(1, 2, 4)
    >>> with sdpa_kernel([SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]):
    ...     torch.nn.functional.scaled_dot_product_attention(x, x, x).shape
    torch.Size([1, 2, 4])
    """
    chosen = [backends] if isinstance(backends, SDPBackend) else list(backends)
    if SDPBackend.MATH not in chosen:
        raise RuntimeError(f"sdpa_kernel was given {[b.name for b in chosen]}, but attention is computed by "
                           "SDPBackend.MATH alone here; add it to the list")
    yield {}


__getattr__, __dir__ = _surface.look_up("nn.attention")

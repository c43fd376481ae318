"""torch.backends.cuda: whether there is a device; its switches are kept, and change nothing."""

from contextlib import contextmanager as _contextmanager

from .._impl.types.devices import count as _count


class matmul:  # noqa: N801 (torch's name)
    """Switches of products of matrices on a device."""

    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True


def is_built():
    """Tell whether CuPy is installed and finds a device."""
    return _count() > 0


class _kernels:  # noqa: N801 (as matmul)
    """Switches of the kernels of attention on a device."""

    flash = mem_efficient = math = cudnn = True


def flash_sdp_enabled():
    """The last argument of `enable_flash_sdp`; True at first."""
    return _kernels.flash


def enable_flash_sdp(enabled):
    """Switch that kernel on or off."""
    _kernels.flash = bool(enabled)


def mem_efficient_sdp_enabled():
    """The last argument of `enable_mem_efficient_sdp`; True at first."""
    return _kernels.mem_efficient


def enable_mem_efficient_sdp(enabled):
    """Switch that kernel on or off."""
    _kernels.mem_efficient = bool(enabled)


def math_sdp_enabled():
    """The last argument of `enable_math_sdp`; True at first."""
    return _kernels.math


def enable_math_sdp(enabled):
    """Switch that kernel on or off."""
    _kernels.math = bool(enabled)


def is_flash_attention_available():
    """False: attention is computed by `SDPBackend.MATH` alone."""
    return False


def cudnn_sdp_enabled():
    """The last argument of `enable_cudnn_sdp`; True at first."""
    return _kernels.cudnn


def enable_cudnn_sdp(enabled):
    """Switch that kernel on or off."""
    _kernels.cudnn = bool(enabled)


@_contextmanager
def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    """A context in which the switches of kernels of attention are others."""
    before = _kernels.flash, _kernels.math, _kernels.mem_efficient, _kernels.cudnn
    _kernels.flash, _kernels.math = bool(enable_flash), bool(enable_math)
    _kernels.mem_efficient, _kernels.cudnn = bool(enable_mem_efficient), bool(enable_cudnn)
    try:
        yield {}
    finally:
        _kernels.flash, _kernels.math, _kernels.mem_efficient, _kernels.cudnn = before

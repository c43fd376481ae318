"""torch.cuda.nvtx: ranges for NVIDIA's profilers, refused as in a PyTorch without CUDA."""

from contextlib import contextmanager as _contextmanager


def _refusing(name):
    def refuse(*args, **kwargs):
        raise RuntimeError(f"torch.cuda.nvtx.{name}(): NVTX functions not installed. Are you sure you have a CUDA "
                           "build? torch.autograd.profiler.emit_nvtx names operations through the package nvtx")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Refused: there is no such device."
    return refuse


mark, range_end, range_pop, range_push, range_start = map(
    _refusing, ("mark", "range_end", "range_pop", "range_push", "range_start"))


@_contextmanager
def range(msg, *args, **kwargs):  # noqa: A001 (torch's name)
    """A context or decorator; refused when it is entered."""
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()

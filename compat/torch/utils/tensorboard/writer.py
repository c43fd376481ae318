"""The writer of the package tensorboardX, whose files TensorBoard reads as it reads PyTorch's."""

import functools

from ....._engine import LazyModule
from ..._impl.types.pytree import tree_map
from ..._impl.types.tensor_type import TensorBase

_library = LazyModule("tensorboardX")


class SummaryWriter:
    """`tensorboardX.SummaryWriter`, whose methods take tensors of this package, too; gradients are left behind.

    Raises:
        ModuleNotFoundError: tensorboardX is not installed.
    """

    def __init__(self, *args, **kwargs):
        try:
            self._writer = _library.SummaryWriter(*args, **kwargs)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError("SummaryWriter needs the package tensorboardX, which is not installed; "
                                      f"pip install tensorboardX ({error})", name=error.name) from None

    def __getattr__(self, name):
        if name == "_writer":  # of an object that was not made, such as a copy
            raise AttributeError(name)
        found = getattr(self._writer, name)
        return _of_arrays(found) if callable(found) else found

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.close()


def _of_arrays(method):
    """A method that is given the arrays of the tensors it is called with."""

    @functools.wraps(method)
    def called(*args, **kwargs):
        args, kwargs = tree_map(lambda v: v.detach().cpu().numpy() if isinstance(v, TensorBase) else v, (args, kwargs))
        return method(*args, **kwargs)

    return called

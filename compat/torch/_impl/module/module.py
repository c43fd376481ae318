"""nn.Module."""

from ..platform.compiling import check_options, tell_once
from .calls import Calls
from .conversion import Conversion
from .registration import Registration
from .state_dict import StateDict
from .traversal import Traversal, fresh_tables


class Module(Calls, Registration, Traversal, StateDict, Conversion):
    """The base of all layers and networks: it knows its parameters, buffers and the modules below it.

    A subclass calls `super().__init__()`, assigns parameters and modules as attributes, and defines `forward`.

    >>> import covector.compat.torch as torch
    >>> class Scale(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = torch.nn.Parameter(torch.tensor(2.0))
    ...     def forward(self, x):
    ...         return self.factor * x
    >>> m = Scale()
    >>> m(torch.tensor(3.0)).backward()
    >>> m.factor.grad
    tensor(3.)
    >>> dict(m.state_dict())
    {'factor': tensor(2.)}
    """

    __module__ = f"{__name__.partition('._impl')[0]}.nn.modules.module"

    _version = 1
    dump_patches = False
    call_super_init = False
    _compiled_call_impl = None

    def __setstate__(self, state):
        self.__dict__.update(state)
        fresh_tables(self)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)
        return state

    def _replicate_for_data_parallel(self):
        """A shallow copy without parameters, as DataParallel makes one for each device; the rest is shared."""
        replica = self.__new__(type(self))
        replica.__dict__ = self.__dict__.copy()
        replica._parameters = {}
        replica._buffers = self._buffers.copy()
        replica._modules = self._modules.copy()
        replica._is_replica = True
        return replica

    def compile(self, *args, **kwargs):
        """Do nothing but warn, once: modules run as they are. The arguments are those of `torch.compile`."""
        check_options(*args, **kwargs)
        tell_once("Module.compile", stacklevel=3)

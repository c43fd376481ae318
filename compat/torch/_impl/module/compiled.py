"""torch.compile: functions as they are, and modules inside of one that calls them."""

import functools

from ..platform.compiling import check_options, tell_once
from .module import Module
from .registration import Registration


def compile(model=None, **options):  # noqa: A001 (torch's name)
    """Return a function as it is, a module inside of an `OptimizedModule`, as scripts expect to find it.

    Operations of covector.compat.torch run one by one; functions of arrays can be compiled by `covector.jit`.

    Args:
        model: a function or a module; without it a decorator is returned.
        options: PyTorch's (`fullgraph`, `dynamic`, `backend`, `mode`, `options`, `disable`). With `disable` a module
            is returned as it is, too; the others change nothing.

    >>> import warnings
    >>> import covector.compat.torch as torch
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")  # a note, given once: nothing becomes faster
    ...     sin = torch.compile(torch.sin)
    ...     layer = torch.compile(torch.nn.Linear(2, 3))
    >>> sin is torch.sin
    True
    >>> layer._orig_mod
    Linear(in_features=2, out_features=3, bias=True)
    """
    if model is None:
        return functools.partial(compile, **options)
    disabled = check_options(**options)
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model).__name__} is provided.")
    if disabled:
        return model
    tell_once("torch.compile", stacklevel=3)
    return OptimizedModule(model) if isinstance(model, Module) else model


class OptimizedModule(Module):
    """A module that calls another one; what it has not itself, the other one is asked for.

    Args:
        mod: the other one.
        context: PyTorch's compiler; nothing here.
    """

    _opt_mod_attributes = frozenset({"_orig_mod", "dynamo_ctx", "_torchdynamo_orig_callable", "forward"})

    def __init__(self, mod, context=None):
        self.__dict__["_orig_mod"] = mod  # attributes are looked for there from now on
        super().__init__()
        del self.__dict__["training"]
        self._orig_mod = mod
        self.dynamo_ctx = context
        self._torchdynamo_orig_callable = mod.forward

    def forward(self, *args, **kwargs):
        """Call the original module, with its hooks."""
        return self._orig_mod(*args, **kwargs)

    @property
    def training(self):
        """That of the module."""
        return self._orig_mod.training

    @training.setter
    def training(self, value):
        self._orig_mod.training = value

    def __getattr__(self, name):
        if name == "_orig_mod":
            return self.__dict__["_modules"]["_orig_mod"]
        return getattr(self._orig_mod, name)

    def __setattr__(self, name, value):
        if name in self._opt_mod_attributes or hasattr(type(self), name):
            Registration.__setattr__(self, name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __delattr__(self, name):
        if name in self._opt_mod_attributes or hasattr(type(self), name):
            Registration.__delattr__(self, name)
        else:
            delattr(self._orig_mod, name)

    def __len__(self):
        if hasattr(type(self._orig_mod), "__len__"):
            return len(self._orig_mod)
        raise TypeError(f"{type(self._orig_mod).__name__} does not support len()")

    def __bool__(self):
        """True: a network without layers is a network."""
        return True

    def __reduce__(self):
        return type(self), (self._orig_mod,)

    def __dir__(self):
        return [*dict.fromkeys([*dir(self._orig_mod), *super().__dir__()])]

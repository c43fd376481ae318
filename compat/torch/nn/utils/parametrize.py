"""torch.nn.utils.parametrize: tensors of a module as functions of other parameters."""

import copy
from contextlib import contextmanager
from contextvars import ContextVar

from ..._impl.module.module import Module
from ..._impl.public_names import torch
from ..._impl.types.parameter import Parameter
from ..._impl.types.tensor_type import TensorBase
from ..modules.container import ModuleDict, ModuleList

_CACHE: ContextVar[dict | None] = ContextVar("covector_torch_parametrizations", default=None)


@contextmanager
def cached():
    """While it lasts, a parametrized tensor is computed once.

    >>> import covector.compat.torch as torch
    >>> with torch.nn.utils.parametrize.cached():
    ...     pass
    """
    outer = _CACHE.get()
    if outer is None:
        _CACHE.set({})
    try:
        yield
    finally:
        _CACHE.set(outer)


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, each of the output of the one before.

    Args:
        modules: the parametrizations.
        original: the tensor; `original`, or `original0`, `original1`, … are what `right_inverse` makes of it.
        unsafe: whether the tensor may change its dtype or shape.
    Raises:
        ValueError: no module. TypeError, RuntimeError: parametrizations that do not fit the tensor.
    """

    def __init__(self, modules, original, unsafe=False):
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        found = original
        with torch.no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    try:
                        found = module.right_inverse(found)
                    except NotImplementedError:
                        pass
        if not isinstance(found, TensorBase | list | tuple):
            raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                             f"{type(found).__name__}")
        self.is_tensor = isinstance(found, TensorBase)
        self.ntensors = 1 if self.is_tensor else len(found)
        if self.is_tensor:
            self._keep_original(original, found)
        else:
            for i, part in enumerate(found):
                if not isinstance(part, TensorBase):
                    raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                                     f"Got element {i} of the sequence with type {type(part).__name__}.")
                held = Parameter(part, original.requires_grad) if isinstance(original, Parameter) else part
                _hold(self, f"original{i}", held)
        if not unsafe:
            self._check(original)

    def _keep_original(self, original, found):
        if original.dtype != found.dtype and not self.unsafe:
            raise ValueError("When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                             f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {found.dtype}")
        if found is not original:
            with torch.no_grad():
                original.data = found.data
        _hold(self, "original", original)

    def _check(self, original):
        made = self()
        if not isinstance(made, TensorBase):
            raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
        if made.dtype != original.dtype:
            raise ValueError("Registering a parametrization may not change the dtype of the tensor, unless `unsafe` "
                             f"flag is enabled.\nunparametrized dtype: {original.dtype}\nparametrized dtype: "
                             f"{made.dtype}")
        if made.shape != original.shape:
            raise ValueError("Registering a parametrization may not change the shape of the tensor, unless `unsafe` "
                             f"flag is enabled.\nunparametrized shape: {original.shape}\nparametrized shape: "
                             f"{made.shape}")

    def _originals(self):
        return (self.original,) if self.is_tensor else tuple(
            [getattr(self, f"original{i}") for i in range(self.ntensors)])

    def right_inverse(self, value):
        """Set the originals so that the tensor becomes `value`, by each parametrization's own `right_inverse`.

        Raises:
            RuntimeError: a parametrization has none.
        """
        with torch.no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            values = (value,) if self.is_tensor else tuple(value)
            if len(values) != self.ntensors:
                raise ValueError("'right_inverse' must return a sequence of tensors of length "
                                 f"{self.ntensors}. Got a sequence of length {len(values)}.")
            for kept, new in zip(self._originals(), values):
                if not isinstance(new, TensorBase):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(new).__name__}")
                if kept.dtype != new.dtype:
                    raise ValueError("The tensor returned by `right_inverse` has dtype "
                                     f"{new.dtype} while `original` has dtype {kept.dtype}")
                kept.data = new.data if new is not kept else kept.data

    def forward(self):
        """The tensor."""
        first, *rest = self
        value = first(*self._originals())
        for module in rest:
            value = module(value)
        return value


def _hold(module, name, value):
    if isinstance(value, Parameter):
        module.register_parameter(name, value)
    else:
        module.register_buffer(name, value)


def _computed(module, name):
    """The parametrized tensor, from the cache where there is one."""
    cache = _CACHE.get()
    if cache is None:
        return module.parametrizations[name]()
    found = cache.get((id(module), name))
    if found is None:
        found = cache[id(module), name] = module.parametrizations[name]()
    return found


def _make_class(module):
    """Give a module a class of its own, which gets the properties."""
    kind = type(module)

    def __deepcopy__(self, memo):  # noqa: N807
        if id(self) in memo:
            return memo[id(self)]
        own = type(self)  # the properties of a copy are its own: it may lose them
        twin = self.__new__(type(own.__name__, own.__bases__, {
            name: v for name, v in vars(own).items() if name not in ("__dict__", "__weakref__")}))
        memo[id(self)] = twin
        twin.__dict__ = copy.deepcopy(self.__dict__, memo)
        return twin

    def __getstate__(self):  # noqa: N807
        raise RuntimeError("Serialization of parametrized modules is only supported through state_dict(). See:\n"
                           "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
                           "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training")

    body = {"__getstate__": __getstate__, "__module__": kind.__module__}
    if not hasattr(kind, "__deepcopy__"):
        body["__deepcopy__"] = __deepcopy__
    module.__class__ = type(f"Parametrized{kind.__name__}", (kind,), body)


def _make_property(module, name):
    def get(self):
        return _computed(self, name)

    def put(self, value):
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, put))


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """Make a parameter or buffer of a module the output of another module, whose input is the original.

    Args:
        tensor_name: the name of the parameter or buffer.
        parametrization: a module; with a `right_inverse` the tensor can be assigned, and begins as it is.
        unsafe: whether dtype or shape may change.
    Returns:
        the module.
    Raises:
        ValueError: no such tensor, or an output of another dtype or shape.

    >>> import covector.compat.torch as torch
    >>> class Symmetric(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).mT
    >>> layer = torch.nn.Linear(3, 3)
    >>> _ = torch.nn.utils.parametrize.register_parametrization(layer, "weight", Symmetric())
    >>> bool((layer.weight == layer.weight.mT).all())
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_next(getattr(module, tensor_name), parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
        return module
    if tensor_name not in module._buffers and tensor_name not in module._parameters:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
                         f"'{tensor_name}'")
    found = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _make_class(module)
        module.parametrizations = ModuleDict()
    _make_property(module, tensor_name)
    module.parametrizations[tensor_name] = found
    return module


def _check_next(before, parametrization):
    """Raise where one more parametrization changes what a tensor is."""
    after = parametrization(before)
    if not isinstance(after, TensorBase):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in ("dtype", "shape"):
        if getattr(after, what) != getattr(before, what):
            raise ValueError(f"Registering a parametrization may not change the {what} of the tensor, unless the "
                             f"`unsafe` flag is enabled.\nmodule.{what}: {getattr(before, what)}\nparametrization "
                             f"{what}: {getattr(after, what)}")
    if hasattr(parametrization, "right_inverse"):
        try:
            back = parametrization.right_inverse(after)
        except NotImplementedError:
            return
        for what in ("dtype", "shape"):
            if isinstance(back, TensorBase) and getattr(back, what) != getattr(before, what):
                raise ValueError(f"The {what} of what `right_inverse` returns, {getattr(back, what)}, differs from "
                                 f"that of the tensor, {getattr(before, what)}, and `unsafe` is not enabled")


def is_parametrized(module, tensor_name=None):
    """Tell whether a module has parametrized tensors, or one of a name."""
    found = getattr(module, "parametrizations", None)
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Make a parametrized tensor an ordinary one again.

    Args:
        leave_parametrized: whether it keeps its values; else it becomes the original.
    Returns:
        the module.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    held = module.parametrizations[tensor_name]
    if held.is_tensor:
        original = held.original
        if leave_parametrized:
            with torch.no_grad():
                original.data = getattr(module, tensor_name).data
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError("Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in "
                         "terms of a sequence of tensors.")
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _hold(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module):
    """The class of a module before it was parametrized."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    """Move copies of parametrizations, and what they begin from, to another module; returns that."""
    if not is_parametrized(from_module):
        return to_module
    if not isinstance(from_module.parametrizations, Module):
        raise AssertionError("from_module.parametrizations must be a module")
    for name in from_module.parametrizations if tensor_name is None else [tensor_name]:
        held = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name).detach().clone()))
        for parametrization in held:
            register_parametrization(to_module, name, copy.deepcopy(parametrization))
        for mine, theirs in zip(to_module.parametrizations[name]._originals(), held._originals()):
            mine.data = theirs.data.clone()
    return to_module

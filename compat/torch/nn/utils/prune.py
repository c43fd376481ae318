"""torch.nn.utils.prune: parts of tensors set to zero by masks."""

import numbers
from abc import ABC, abstractmethod

from ..._impl.public_names import torch


class BasePruningMethod(ABC):
    """The base class of pruning methods: a subclass defines `compute_mask`, and `PRUNING_TYPE`.

    A pruned tensor `name` is `name_orig * name_mask`, computed before each forward.
    """

    _tensor_name = ""
    PRUNING_TYPE = "unstructured"

    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t, default_mask):
        """The mask of a tensor, of what a mask leaves."""

    def apply_mask(self, module):
        """The tensor of a module, under its mask."""
        if not self._tensor_name:
            raise AssertionError(f"Module {module} has to be pruned")
        mask, original = [getattr(module, self._tensor_name + end) for end in ("_mask", "_orig")]
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """Prune a tensor of a module, in addition to what is pruned already; returns the method."""
        before = [(key, hook) for key, hook in module._forward_pre_hooks.items()
                  if isinstance(hook, BasePruningMethod) and hook._tensor_name == name]
        if len(before) > 1:
            raise AssertionError(f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. "
                                 "Use a PruningContainer.")
        method = cls(*args, **kwargs)
        method._tensor_name = name
        if before:
            key, old = before[0]
            del module._forward_pre_hooks[key]
            container = old if isinstance(old, PruningContainer) else PruningContainer(old)
            container.add_pruning_method(method)
            method = container
        original = getattr(module, name)
        scores = original if importance_scores is None else importance_scores
        if scores.shape != original.shape:
            raise AssertionError(f"importance_scores should have the same shape as parameter {name} of {module}")
        if not before:
            mask = torch.ones_like(scores)
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
        else:
            mask = getattr(module, name + "_mask").detach().clone()
        try:
            with torch.no_grad():
                mask = method.compute_mask(scores, default_mask=mask)
            module.register_buffer(name + "_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if not before:
                module.register_parameter(name, module._parameters.pop(name + "_orig"))
            raise
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        """A tensor with its part to prune set to zero."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t")
        return t * self.compute_mask(scores, torch.ones_like(t) if default_mask is None else default_mask)

    def remove(self, module):
        """Make the pruned tensor a parameter as it is."""
        name = self._tensor_name
        if not name:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(name + "_orig")
        original.data = weight.data
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several methods one behind another, each on what the ones before leave."""

    def __init__(self, *args):
        methods = args[0] if len(args) == 1 and not isinstance(args[0], BasePruningMethod) else args
        self._pruning_methods = ()
        if isinstance(methods, BasePruningMethod):
            methods = (methods,)
        for method in methods:
            if not self._tensor_name:
                self._tensor_name = method._tensor_name
            self.add_pruning_method(method)

    def add_pruning_method(self, method):
        """Add a method behind the last."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError("Can only add pruning methods acting on the parameter named "
                             f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'")
        self._pruning_methods += (method,)

    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, index):
        return self._pruning_methods[index]

    def compute_mask(self, t, default_mask):
        """The mask of the last method, of what `default_mask` leaves."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            left = mask == 1
        elif method.PRUNING_TYPE == "structured":
            axis = method.dim % t.dim()
            kept = mask.sum([a for a in range(t.dim()) if a != axis]) != 0
            left = (slice(None),) * axis + (kept,)
        elif method.PRUNING_TYPE == "global":
            left = (slice(None),) * t.dim()
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        mask = mask.clone()
        mask[left] = method.compute_mask(t[left], default_mask=mask[left]).to(mask.dtype)
        return mask


def _checked_amount(amount):
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if (isinstance(amount, numbers.Integral) and amount < 0) or (
            not isinstance(amount, numbers.Integral) and not 0.0 <= amount <= 1.0):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")
    return amount


def _count(amount, size):
    """The number of `size` elements to prune."""
    if not isinstance(amount, numbers.Integral):
        return round(amount * size)
    if amount > size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={size}")
    return amount


class Identity(BasePruningMethod):
    """Prune nothing, but make the mask."""

    def compute_mask(self, t, default_mask):
        """The mask that is there."""
        return default_mask


class _Unstructured(BasePruningMethod):
    def __init__(self, amount):
        self.amount = _checked_amount(amount)

    def compute_mask(self, t, default_mask):
        """The mask without the elements of the lowest scores."""
        n = _count(self.amount, t.nelement())
        mask = default_mask.clone()
        if n:
            mask.view(-1)[torch.topk(self._scores(t), n, largest=False).indices] = 0
        return mask


class RandomUnstructured(_Unstructured):
    """Prune elements at random: a number, or a part."""

    def _scores(self, t):
        return torch.rand(t.nelement(), device=t.device)


class L1Unstructured(_Unstructured):
    """Prune the elements of the smallest absolute values: a number, or a part."""

    def _scores(self, t):
        return t.abs().reshape(-1)


class _Structured(BasePruningMethod):
    PRUNING_TYPE = "structured"

    def __init__(self, amount, dim=-1):
        self.amount = _checked_amount(amount)
        self.dim = dim

    def compute_mask(self, t, default_mask):
        """The mask without the channels of the lowest scores along an axis."""
        if t.dim() <= 1:
            raise ValueError("Structured pruning can only be applied to multidimensional tensors. Found tensor of "
                             f"shape {t.shape} with {t.dim()} dims")
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        axis = self.dim % t.dim()
        n = _count(self.amount, t.shape[axis])
        if not n:
            return default_mask
        mask = torch.zeros_like(t)
        kept = torch.topk(self._scores(t, axis), t.shape[axis] - n).indices
        mask[(slice(None),) * axis + (kept,)] = 1
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(_Structured):
    """Prune whole channels along an axis at random."""

    def _scores(self, t, axis):
        return torch.rand(t.shape[axis], device=t.device)


class LnStructured(_Structured):
    """Prune the channels along an axis that have the smallest norms of order `n`."""

    def __init__(self, amount, n, dim=-1):
        super().__init__(amount, dim)
        self.n = n

    def _scores(self, t, axis):
        return torch.norm(t, p=self.n, dim=[a for a in range(t.dim()) if a != axis])


class CustomFromMask(BasePruningMethod):
    """Prune by a given mask."""

    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        """Both masks together."""
        return default_mask * self.mask.to(dtype=default_mask.dtype)


def identity(module, name):
    """Give a tensor of a module a mask that prunes nothing; returns the module, as the others do."""
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    """Prune elements of a tensor at random."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    """Prune the elements of the smallest absolute values, or scores.

    >>> import covector.compat.torch as torch
    >>> layer = torch.nn.utils.prune.l1_unstructured(torch.nn.Linear(4, 2), "weight", amount=0.5)
    >>> int((layer.weight == 0).sum())
    4
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    """Prune channels of a tensor along an axis at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    """Prune the channels along an axis of the smallest norms of order `n`."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    """Prune elements of several tensors at once, `[(module, name), …]`, by one method of elements."""
    parameters = list(parameters)
    scores = importance_scores or {}
    found = [scores.get((module, name), getattr(module, name)) for module, name in parameters]
    masks = [getattr(module, name + "_mask", torch.ones_like(getattr(module, name))) for module, name in parameters]
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    container.add_pruning_method(method)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError('Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
                        f"{pruning_method} of type {method.PRUNING_TYPE}")
    with torch.no_grad():
        whole = container.compute_mask(torch.cat([t.reshape(-1) for t in found]),
                                       torch.cat([m.reshape(-1) for m in masks]))
    place = 0
    for module, name in parameters:
        t = getattr(module, name)
        custom_from_mask(module, name, whole[place:place + t.numel()].view_as(t))
        place += t.numel()


def custom_from_mask(module, name, mask):
    """Prune a tensor by a mask of ones and zeros."""
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module, name):
    """Make a pruned tensor an ordinary parameter, as it is."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module):
    """Tell whether a tensor of a module, or of one below, is pruned."""
    return any(isinstance(hook, BasePruningMethod) for _, m in module.named_modules()
               for hook in m._forward_pre_hooks.values())

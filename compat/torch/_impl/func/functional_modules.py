"""functorch's make_functional: modules as functions of their parameters and buffers."""

import copy

from ..public_names import torch
from .modules import functional_call


class FunctionalModule:
    """A module as a function of its parameters, and of its buffers where it was made with them."""

    def __init__(self, model, with_buffers):
        self.model = copy.deepcopy(model)
        self.parameters = tuple(name for name, _ in self.model.named_parameters())
        self.buffers = tuple(name for name, _ in self.model.named_buffers()) if with_buffers else None

    def __call__(self, params, *args, **kwargs):
        """Call the module with other parameters.

        Args:
            params: tensors, in the order in which they were given out; those of buffers follow, where it has them.
            args, kwargs: of the module.
        """
        given = dict(zip(self.parameters, params, strict=True))
        if self.buffers is not None:
            buffers, *args = args
            given.update(zip(self.buffers, buffers, strict=True))
        return functional_call(self.model, given, tuple(args), kwargs)


def make_functional(model, disable_autograd_tracking=False):
    """Return a function of a module's parameters, and copies of them.

    Args:
        model: a module.
        disable_autograd_tracking: whether the parameters given out require no gradient.
    Returns:
        `(func, params)`; `func(params, *args)` is what `model(*args)` gives with other parameters.

    >>> import covector.compat.torch as torch
    >>> import warnings
    >>> warnings.simplefilter("ignore", FutureWarning)  # functorch is deprecated
    >>> from covector.compat.torch import _functorch as functorch
    >>> func, params = functorch.make_functional(torch.nn.Linear(2, 1))
    >>> func([torch.ones(1, 2), torch.zeros(1)], torch.tensor([3., 4.]))
    tensor([7.])
    """
    func = FunctionalModule(model, False)
    return func, leaves(func, disable_autograd_tracking)


def make_functional_with_buffers(model, disable_autograd_tracking=False):
    """Return a function of a module's parameters and buffers, and copies of them.

    Args:
        model: a module.
        disable_autograd_tracking: whether the parameters given out require no gradient.
    Returns:
        `(func, params, buffers)`; `func(params, buffers, *args)` is what `model(*args)` gives with others.

    >>> import covector.compat.torch as torch
    >>> import warnings
    >>> warnings.simplefilter("ignore", FutureWarning)  # functorch is deprecated
    >>> from covector.compat.torch import _functorch as functorch
    >>> func, params, buffers = functorch.make_functional_with_buffers(torch.nn.BatchNorm1d(2))
    >>> len(params), [b.dim() for b in buffers]
    (2, [1, 1, 0])
    """
    func = FunctionalModule(model, True)
    return func, leaves(func, disable_autograd_tracking), tuple(b for _, b in func.model.named_buffers())


def leaves(func, untracked):
    """The parameters of a function's module."""
    return tuple(p.detach() if untracked else p for _, p in func.model.named_parameters())


def combine_state_for_ensemble(models):
    """Return a function, and the parameters and buffers of several modules of one architecture, stacked.

    Args:
        models: modules of one class, all in training or all in evaluation.
    Returns:
        `(func, params, buffers)`, for `vmap(func, in_dims=(0, 0, None))(params, buffers, x)`.
    Raises:
        RuntimeError: there are no modules, or they differ in class or mode.

    >>> import covector.compat.torch as torch
    >>> import warnings
    >>> warnings.simplefilter("ignore", FutureWarning)  # functorch is deprecated
    >>> from covector.compat.torch import _functorch as functorch
    >>> models = [torch.nn.Linear(2, 1) for _ in range(3)]
    >>> func, params, buffers = functorch.combine_state_for_ensemble(models)
    >>> functorch.vmap(func, in_dims=(0, 0, None))(params, buffers, torch.ones(5, 2)).shape
    torch.Size([3, 5, 1])
    """
    if not models:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError("combine_state_for_ensemble: Expected all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise RuntimeError("combine_state_for_ensemble: Expected all models to be of the same class.")
    funcs, params, buffers = zip(*(make_functional_with_buffers(m) for m in models))
    return funcs[0], stacked(params), stacked(buffers)


def stacked(states):
    """One leaf for each place of several tuples of tensors."""
    return tuple(torch.stack(shards).detach().requires_grad_(shards[0].requires_grad) for shards in zip(*states))

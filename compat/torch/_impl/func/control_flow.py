"""Conditions, loops and scans of functions of tensors: each step runs as any other code."""

from ..public_names import NAMES
from ..types.pytree import tree_all, tree_flatten, tree_leaves, tree_map, tree_structure
from ..types.tensor_type import TensorBase

stack = NAMES["stack"]


def cond(pred, true_fn, false_fn, operands=()):
    """`true_fn(*operands)` where `pred` holds, `false_fn(*operands)` otherwise; the other one is not run.

    >>> import covector.compat.torch as torch
    >>> torch.cond(torch.tensor(True), torch.sin, torch.cos, (torch.zeros(1),))
    tensor([0.])
    """
    if not isinstance(pred, bool | int | float | TensorBase):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if isinstance(pred, TensorBase) and pred.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    if not (callable(true_fn) and callable(false_fn)):
        raise RuntimeError("Expect both branches to be callable.")
    if not isinstance(operands, tuple | list) or not tree_all(lambda x: isinstance(x, TensorBase), operands):
        raise RuntimeError("Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of "
                           f"tensor leaves, but got {operands}.")
    return (true_fn if pred else false_fn)(*operands)


def while_loop(cond_fn, body_fn, carried_inputs):
    """`body_fn` of what it returned before, starting with `carried_inputs`, while `cond_fn` of that is true.

    >>> import covector.compat.torch as torch
    >>> torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, 2 * x), (torch.tensor(0), torch.tensor(1.0)))
    (tensor(3), tensor(8.))
    """
    if not (callable(cond_fn) and callable(body_fn)):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    if not isinstance(carried_inputs, tuple | list) or not tree_all(lambda x: isinstance(x, TensorBase | int),
                                                                    carried_inputs):
        raise RuntimeError("Expect carried_inputs to be a tuple of possibly nested dict/list/tuple that only consists "
                           f"of tensor or int leaves, but got {carried_inputs}.")
    carried = tuple(carried_inputs)
    while cond_fn(*carried):
        found = body_fn(*carried)
        found = tuple(found) if isinstance(found, tuple | list) else (found,)
        if tree_structure(found) != tree_structure(carried):
            raise RuntimeError(f"body_fn should return what it takes, but of {len(carried)} carried inputs it made "
                               f"{tree_structure(found)} in place of {tree_structure(carried)}")
        carried = found
    return carried


def rows(fun, xs, dim, reverse=False):
    """The slices of the tensors in a pytree along an axis, in the order in which they are taken."""
    leaves, spec = tree_flatten(xs)
    if not leaves or not all(isinstance(x, TensorBase) for x in leaves):
        raise RuntimeError(f"{fun}: All xs leaves must be a Tensor, and there must be one, but got {leaves}")
    axes = [dim + x.dim() if dim < 0 else dim for x in leaves]
    if any(not 0 <= axis < x.dim() or not x.shape[axis] for axis, x in zip(axes, leaves)):
        raise RuntimeError(f"{fun}: All xs leaves must at least have 'dim' number of dimensions and scan dimension > "
                           f"0, but dim is {dim} and their shapes are {[tuple(x.shape) for x in leaves]}")
    lengths = {x.shape[axis] for axis, x in zip(axes, leaves)}
    if len(lengths) > 1:
        raise RuntimeError(f"{fun}: All xs leaves must have the same length along dim {dim}, but got {sorted(lengths)}")
    found = [spec.unflatten(row) for row in zip(*[x.unbind(axis) for axis, x in zip(axes, leaves)])]
    return found[::-1] if reverse else found


def stacked(results, reverse=False):
    """Pytrees of one structure as one of tensors with a first axis more."""
    results = results[::-1] if reverse else results
    return tree_map(lambda *row: stack(row), *results)


def scan(combine_fn, init, xs, *, dim=0, reverse=False):
    """Carry a value along an axis: `carry, y = combine_fn(carry, x)`; the last carry, and all `y` along the first axis.

    >>> import covector.compat.torch as torch
    >>> from covector.compat.torch._higher_order_ops import scan
    >>> scan(lambda carry, x: (carry + x, carry * x), torch.tensor(0.0), torch.tensor([1.0, 2.0, 3.0]))
    (tensor(6.), tensor([0., 2., 9.]))
    """
    if not tree_leaves(init):
        raise RuntimeError("scan() operator requires init leaves.")
    carry, ys = init, []
    for x in rows("scan", xs, dim, reverse):
        carry, y = combine_fn(carry, x)
        ys.append(y)
    return carry, stacked(ys, reverse)


def map_(f, xs, *args):
    """`f(x, *args)` of the slices along the first axis, stacked."""
    return stacked([f(x, *args) for x in rows("map", xs, 0)])

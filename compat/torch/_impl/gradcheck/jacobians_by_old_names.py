"""Jacobians under the names that PyTorch once showed and now warns of; `gradcheck` does not use them."""

import warnings

from ..types.tensor_type import TensorBase
from .jacobians import Problem, as_tuple, basis, columns, numerical_jacobians, rows_of


def get_numerical_jacobian(fn, inputs, target=None, eps=1e-3, grad_out=1.0):
    """The Jacobians of the first output of `fn(inputs)` by each tensor of `target` (the inputs), by differences."""
    _warn("get_numerical_jacobian")
    _only_one("get_numerical_jacobian", grad_out)
    packed = as_tuple(inputs)
    answers = as_tuple(fn(packed))
    _only_real("get_numerical_jacobian", answers)
    targets = packed if target is None else as_tuple(target)
    problem = Problem(lambda *_: fn(packed), targets, answers, eps)
    return tuple([numerical_jacobians(problem, place, [0])[0] for place in problem.active])


def get_numerical_jacobian_wrt_specific_input(fn, input_idx, inputs, outputs, eps, input=None,  # noqa: A002
                                              is_forward_ad=False):
    """The Jacobians of all outputs of `fn(*inputs)` by one of its inputs, by differences."""
    inputs = as_tuple(inputs)
    x = inputs[input_idx] if input is None else input
    if not x.requires_grad:
        raise AssertionError("Expected input to have requires_grad=True")
    answers = as_tuple(outputs)
    problem = Problem(lambda *_: fn(*inputs), (x,), answers, eps)
    wanted = [i for i, o in enumerate(answers) if o.is_floating_point() or o.is_complex()]
    if not is_forward_ad:
        _only_real("get_numerical_jacobian_wrt_specific_input", answers)
    return tuple(numerical_jacobians(problem, 0, wanted))


def get_analytical_jacobian(inputs, output, nondet_tol=0.0, grad_out=1.0):
    """The Jacobians of an output by each input that requires a gradient, from backward.

    Returns:
        the Jacobians, whether a second run gave the same, whether all gradients had the shape of their input, and
        whether they had its dtype.
    """
    _warn("get_analytical_jacobian")
    _only_one("get_analytical_jacobian", grad_out)
    _only_real("get_analytical_jacobian", (output,))
    active = [x for x in as_tuple(inputs) if isinstance(x, TensorBase) and x.requires_grad]
    first, second = ([columns(g, x, output.numel()) for g, x in zip(rows_of(output, active, basis(output)), active)]
                     for _ in range(2))
    again = all(b is not None and not (a.numel() and bool((a - b).abs().max() > nondet_tol))
                for (a, _, _), (b, _, _) in zip(first, second) if a is not None)
    return (tuple([a for a, _, _ in first]), again, all(shapes for _, shapes, _ in first),
            all(kinds for _, _, kinds in first))


def _warn(name):
    warnings.warn(f"`{name}` was part of PyTorch's private API and not meant to be exposed. Use gradcheck, or "
                  "torch.func.jacrev", FutureWarning, stacklevel=3)


def _only_one(name, grad_out):
    if grad_out != 1.0:
        raise ValueError(f"Expected grad_out to be 1.0. {name} no longer supports values of grad_out != 1.0.")


def _only_real(name, outputs):
    if any(o.is_complex() for o in outputs):
        raise ValueError(f"Expected output to be non-complex. {name} no longer supports functions that return complex "
                         "outputs.")

"""torch.autograd.functional: products with Jacobians and Hessians of functions of tensors."""

from ..factories.creation import zeros_like
from ..modes.grad_mode import enable_grad, is_grad_enabled, set_grad_enabled
from ..modes.modes import restoring
from .strictness import (
    check_recorded,
    filled,
    gradients,
    listed,
    outputs_of,
    separate,
    settled,
    vector,
)

NO_VECTOR = ("The vector v can only be None if the input to the user-provided function is a single Tensor with a "
             "single element.")


@restoring
def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """Compute `func(*inputs)` and a vector-Jacobian product.

    Args:
        func: a function of tensors that returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors.
        v: the vector, with the structure of the outputs; None for a single element.
        create_graph: record both results, so that they are differentiable.
        strict: raise if an output does not depend on an input, instead of returning zeros.
    Returns:
        the outputs and the product, which has the structure of `inputs`.
    Raises:
        TypeError: an input, an output or an entry of `v` is not a tensor.
        RuntimeError: `v` does not match; in strict mode, an independent input.

    >>> import covector.compat.torch as torch
    >>> torch.autograd.functional.vjp(lambda x: x ** 2, torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    with enable_grad():
        several, inputs = listed(inputs, "inputs", "vjp")
        inputs = separate(inputs, create_graph, True)
        many, outputs = outputs_of(func, inputs, "vjp", strict)
        v = vector(v, outputs, many, "vjp", create_graph, "The vector v can only be None if the user-provided function "
                   "returns a single Tensor with a single element.")
    with set_grad_enabled(create_graph or is_grad_enabled()):
        product = filled(gradients(outputs, inputs, v, create_graph=create_graph), inputs, strict, create_graph,
                         "first")
    return single(settled(outputs, create_graph), many), single(settled(product, create_graph), several)


@restoring
def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """Compute `func(*inputs)` and a Jacobian-vector product, by applying reverse mode twice.

    `torch.func.jvp` and `torch.autograd.forward_ad` are cheaper.

    Args:
        func: a function of tensors that returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple of tensors.
        v: the vector, with the structure of the inputs; None for a single element.
        create_graph: record both results, so that they are differentiable.
        strict: raise if an output does not depend on an input, instead of returning zeros.
    Returns:
        the outputs and the product, which has the structure of the outputs.
    Raises:
        TypeError: an input, an output or an entry of `v` is not a tensor.
        RuntimeError: `v` does not match; in strict mode, an independent input.

    >>> import covector.compat.torch as torch
    >>> torch.autograd.functional.jvp(lambda x: x ** 2, torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor([1., 4.]), tensor([2., 4.]))
    """
    with enable_grad():
        several, inputs = listed(inputs, "inputs", "jvp")
        inputs = separate(inputs, create_graph, True)
        v = vector(v, inputs, several, "jvp", create_graph, NO_VECTOR)
        many, outputs = outputs_of(func, inputs, "jvp", strict)
        seeds = tuple([zeros_like(out, requires_grad=True) for out in outputs])  # their values do not matter
        pulled = gradients(outputs, inputs, seeds, create_graph=True)
        if strict:
            check_recorded(pulled, "gradient")
    with set_grad_enabled(create_graph or is_grad_enabled()):
        product = filled(gradients(pulled, seeds, v, create_graph=create_graph), outputs, strict, create_graph,
                         "pushed")
    return single(settled(outputs, create_graph), many), single(settled(product, create_graph), many)


@restoring
def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """Compute `func(*inputs)` and a vector-Hessian product.

    Args:
        func: a function of tensors that returns a tensor with one element.
        inputs: a tensor or a tuple of tensors.
        v: the vector, with the structure of the inputs; None for a single element.
        create_graph: record both results, so that they are differentiable.
        strict: raise if the gradient does not depend on an input, instead of returning zeros.
    Returns:
        the output and the product, which has the structure of `inputs`.
    Raises:
        TypeError: an input, an output or an entry of `v` is not a tensor.
        RuntimeError: `v` does not match, or the output has several elements; in strict mode, an independent input.

    >>> import covector.compat.torch as torch
    >>> torch.autograd.functional.vhp(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    several, inputs, v, outputs, jac = gradient_and_vector(func, inputs, v, create_graph, strict, "vhp")
    with set_grad_enabled(create_graph or is_grad_enabled()):
        product = filled(gradients(jac, inputs, v, create_graph=create_graph), inputs, strict, create_graph, "second")
    return settled(outputs, create_graph)[0], single(settled(product, create_graph), several)


@restoring
def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """Compute `func(*inputs)` and a Hessian-vector product, with one more backward pass than `vhp`.

    Args:
        func: a function of tensors that returns a tensor with one element.
        inputs: a tensor or a tuple of tensors.
        v: the vector, with the structure of the inputs; None for a single element.
        create_graph: record both results, so that they are differentiable.
        strict: raise if the gradient does not depend on an input, instead of returning zeros.
    Returns:
        the output and the product, which has the structure of `inputs`.
    Raises:
        TypeError: an input, an output or an entry of `v` is not a tensor.
        RuntimeError: `v` does not match, or the output has several elements; in strict mode, an independent input.

    >>> import covector.compat.torch as torch
    >>> torch.autograd.functional.hvp(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    several, inputs, v, outputs, jac = gradient_and_vector(func, inputs, v, create_graph, strict, "hvp")
    with enable_grad():
        seeds = tuple([zeros_like(x, requires_grad=True) for x in inputs])
        twice = gradients(jac, inputs, seeds, create_graph=True)
        if strict:
            check_recorded(jac, "hessian")
    with set_grad_enabled(create_graph or is_grad_enabled()):
        product = filled(gradients(twice, seeds, v, create_graph=create_graph), inputs, strict, create_graph,
                         "second pushed")
    return settled(outputs, create_graph)[0], single(settled(product, create_graph), several)


def gradient_and_vector(func, inputs, v, create_graph, strict, caller):
    """The inputs, the vector, the one output and its recorded gradient."""
    with enable_grad():
        several, inputs = listed(inputs, "inputs", caller)
        inputs = separate(inputs, create_graph, True)
        v = vector(v, inputs, several, caller, create_graph, NO_VECTOR)
        many, outputs = outputs_of(func, inputs, caller, strict)
        if many:
            raise RuntimeError(f"The function given to {caller} should return a single Tensor")
        if outputs[0].nelement() != 1:
            raise RuntimeError(f"The Tensor returned by the function given to {caller} should contain a single element")
        jac = gradients(outputs, inputs, create_graph=True)
        if strict:
            check_recorded(jac, "jacobian")
    return several, inputs, v, outputs, jac


def single(tensors, several):
    """A tuple, or its one entry."""
    return tensors if several else tensors[0]



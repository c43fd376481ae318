"""Checks of `autograd.functional`: tensor arguments, vectors that fit, and dependence in strict mode."""

from ..dispatch.backward_calls import grad
from ..factories.creation import zeros_like
from ..types.tensor_type import TensorBase


def listed(value, name, caller):
    """A tensor or a tuple of them as a tuple, and whether it was one."""
    single = not isinstance(value, tuple)
    values = (value,) if single else value
    for i, x in enumerate(values):
        if not isinstance(x, TensorBase):
            which = f"given {name}" if single else f"value at index {i}"
            raise TypeError(f"The {name} given to {caller} must be either a Tensor or a tuple of Tensors but the "
                            f"{which} has type {type(x)}.")
    return not single, values


def outputs_of(func, inputs, caller, strict):
    """Call a user's function on tensors; return its outputs as a tuple, and whether there were several."""
    several, outputs = listed(func(*inputs), "outputs of the user-provided function", caller)
    if strict:
        check_recorded(outputs, "output")
    return several, outputs


def separate(tensors, create_graph, ask):
    """Tensors of their own over the same values: one that the function captured as well is told apart from its input.

    With `create_graph` they keep their history; otherwise they are leaves, which ask for a gradient if `ask`.
    """
    return tuple([x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_(ask)
                  for x in tensors])


def vector(v, likes, several, caller, create_graph, otherwise):
    """The vector of a product, one tensor for each of `likes`; None is allowed for a single element alone."""
    if v is None:
        if len(likes) != 1 or likes[0].nelement() != 1:
            raise RuntimeError(otherwise)
        return None
    given = separate(listed(v, "v", caller)[1], create_graph, False)
    if len(given) != len(likes):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(likes)} but got {len(given)}." if several
                           else "The given v should contain a single Tensor.")
    for i, (x, like) in enumerate(zip(given, likes)):
        if x.size() != like.size():
            where = f"Entry {i} in " if several else ""
            raise RuntimeError(f"{where}v has invalid size: should be {like.size()} but got {x.size()}.")
    return given


CONSTANT = {
    "output": "Output {i} of the user-provided function does not require gradients. The outputs must be computed in a "
              "differentiable manner from the input when running in strict mode.",
    "gradient": "The gradient with respect to input {i} is independent of the inputs of the user-provided function. "
                "This is not allowed in strict mode.",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to "
                "input {i} is independent of the input. This is not allowed in strict mode. You should ensure that "
                "your function is twice differentiable and that the jacobian depends on the inputs (this would be "
                "violated by a linear function for example).",
    "hessian": "The hessian of the user-provided function with respect to input {i} is independent of the input. This "
               "is not allowed in strict mode. You should ensure that your function is thrice differentiable and that "
               "the hessian depends on the inputs.",
}


def check_recorded(tensors, kind):
    """Strict mode: each of these must have a history; None stands for an input that nothing depends on."""
    for i, x in enumerate(tensors):
        if x is None:
            raise RuntimeError(f"The output of the user-provided function is independent of input {i}. This is not "
                               "allowed in strict mode.")
        if not x.requires_grad:
            raise RuntimeError(CONSTANT[kind].format(i=i))


INDEPENDENT = {
    "first": "The output of the user-provided function is independent of input {i}. This is not allowed in strict "
             "mode.",
    "pushed": "The gradient with respect to the input is independent of entry {i} in the grad_outputs when using the "
              "double backward trick to compute forward mode gradients. This is not allowed in strict mode.",
    "second": "The jacobian of the user-provided function is independent of input {i}. This is not allowed in strict "
              "mode.",
    "second pushed": "The hessian of the user-provided function is independent of entry {i} in the grad_jacobian. This "
                     "is not allowed in strict mode as it prevents from using the double backward trick to replace "
                     "forward mode AD.",
}


def filled(grads, likes, strict, create_graph, stage):
    """Gradients with zeros where there is none; strict mode refuses those, and with `create_graph` constants too."""
    out = []
    for i, (g, like) in enumerate(zip(grads, likes)):
        if g is None:
            if strict:
                raise RuntimeError(INDEPENDENT[stage].format(i=i))
            g = zeros_like(like)
        elif strict and create_graph and not g.requires_grad:
            raise RuntimeError(constant_derivative("hessian" if stage.startswith("second") else "jacobian", i))
        out.append(g)
    return tuple(out)


def constant_derivative(what, i):
    """The message for a derivative without history where `create_graph` asked for one."""
    return (f"The {what} of the user-provided function is independent of input {i}. This is not allowed in strict mode "
            "when create_graph=True.")


def gradients(outputs, inputs, cts=None, **options):
    """`autograd.grad` of those outputs that have a history, None for an input that none of them depends on."""
    cts = (None,) * len(outputs) if cts is None else cts
    pairs = [(out, ct) for out, ct in zip(outputs, cts) if out is not None and out.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    outs, seeds = zip(*pairs)
    return grad(outs, inputs, seeds, allow_unused=True, **options)


def settled(tensors, create_graph):
    """Results as the caller gets them: without history unless `create_graph`."""
    return tuple(tensors) if create_graph else tuple([x.detach() for x in tensors])

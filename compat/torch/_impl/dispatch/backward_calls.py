"""`backward` and `grad` as users call them: arguments in all their forms, and classes that take over."""

import warnings
from collections.abc import Mapping

from ..engine.engine import run
from ..engine.gradient_edge import GradientEdge
from ..engine.root_gradients import listed, make_grads, seed
from ..modes.modes import MODES
from ..modes.warnings import first
from ..state.levels import together
from ..state.meta import library
from ..types.parameter import PLAIN_KINDS
from ..types.tensor_type import Tensor, shape_dtype, wrap
from .classes import WITHOUT
from .overriding import overridden


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Accumulate the gradients of `tensors` in the `.grad` of the leaves they depend on.

    Args:
        tensors: a Tensor or a sequence of them, each requiring a gradient.
        grad_tensors: the cotangent of each; None for a tensor with one element.
        retain_graph: keep the graph for another backward pass; by default the value of `create_graph`.
        create_graph: record the backward pass, for higher-order derivatives.
        grad_variables: the old name of `grad_tensors`.
        inputs: accumulate gradients only in these tensors: a tensor, a sequence or a dict of them.
    Raises:
        RuntimeError: a tensor without history, a missing cotangent for a tensor with several elements, a freed graph.

    >>> import covector.compat.torch as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> torch.autograd.backward((x * x).sum())
    >>> x.grad
    tensor([2., 4.])
    """
    if grad_variables is not None:
        warn_grad_variables()
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only "
                "use `grad_tensors`."
            )
        grad_tensors = grad_variables
    m = MODES.get()
    # The vmap of a sweep with several cotangents is no transform of the user's.
    if m is not None and (m.level is not None or any(not trace.own for trace in m.maps)):
        raise RuntimeError("backward() called inside a functorch transform. This is not supported, please use "
                           "functorch.grad or functorch.vjp instead or call backward() outside of functorch "
                           "transforms.")
    if inputs is not None:
        inputs = chosen(inputs, "backward")
    tensors = listed(tensors)
    override = asked(tensors, inputs or ())
    if override is not None:
        return override(backward, (tensors,), {"grad_tensors": grad_tensors, "retain_graph": retain_graph,
                                               "create_graph": create_graph, "inputs": inputs})
    retain_graph = create_graph if retain_graph is None else retain_graph
    cts = make_grads(grad_tensors, len(tensors))
    if create_graph and first("create_graph"):
        warnings.warn("Using backward() with create_graph=True will create a reference cycle between the parameter "
                      "and its "
                      "gradient which can cause a memory leak. We recommend using autograd.grad when creating the "
                      "graph to "
                      "avoid this. If you have to use this function, make sure to reset the .grad fields of your "
                      "parameters "
                      "to None after use to break the cycle and avoid the leak.", UserWarning, stacklevel=3)
    return run(tensors, cts, retain_graph, create_graph, inputs, True, True)


def chosen(inputs, name):
    """The inputs that `backward` or `grad` was given, as a tuple."""
    if type(inputs) is dict:
        inputs = inputs.values()
    elif isinstance(inputs, Mapping):
        raise TypeError(f"`inputs` argument to `{name}()` must be a dict, not {type(inputs).__name__}. Other Mapping "
                        "types are not supported.")
    inputs = listed(inputs)
    if not inputs:
        raise RuntimeError(f"`inputs` argument to `{name}()` cannot be empty.")
    return inputs


def asked(outputs, inputs):
    """The handler of a backward pass of tensors, or None; edges and sparse tensors have no class to ask."""
    m = MODES.get()
    if (m is None or not m.functions) and WITHOUT.issuperset(map(type, outputs)) and WITHOUT.issuperset(
            map(type, inputs)):
        return None
    return overridden(([t for t in (*outputs, *inputs) if not isinstance(t, GradientEdge) and not getattr(
        type(t), "other_layout", False)],), {})


def warn_grad_variables():
    """torch's warning about the old name."""
    warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=3)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False):
    """Compute the gradients of `outputs` with respect to `inputs`, without changing any `.grad`.

    Args:
        outputs: a Tensor or a sequence of them.
        inputs: a Tensor, a sequence or a dict of them.
        grad_outputs: the cotangents of the outputs; None for a tensor with one element.
        retain_graph, create_graph: as for `backward`.
        only_inputs: deprecated, ignored except for a warning if False.
        allow_unused: return None for an input that is not part of the graph, instead of raising.
        is_grads_batched: the cotangents have a leading batch axis, and so have the gradients.
        materialize_grads: return zeros for such an input.
    Returns:
        a tuple with a Tensor (or None) for each input; a dict if `inputs` is one.
    Raises:
        RuntimeError: an unused input, and as for `backward`.

    >>> import covector.compat.torch as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.grad(x * x, x)
    (tensor(6.),)
    """
    # The commonest call, which neither a mode nor a class takes over.
    if type(outputs) in PLAIN_KINDS and only_inputs and not (is_grads_batched or materialize_grads) and (
            grad_outputs is None or type(grad_outputs) is Tensor) and MODES.get() is None:
        plain = plain_tensors(inputs)
        if plain:
            return run((outputs,), (grad_outputs,), create_graph if retain_graph is None else retain_graph,
                       create_graph, plain, False, bool(allow_unused))
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                         "allow_unused=False.")
    if allow_unused is None:
        allow_unused = materialize_grads
    names = tuple(inputs) if type(inputs) is dict else None
    outputs, inputs = listed(outputs), chosen(inputs, "grad")
    override = asked(outputs, inputs)
    if override is not None:
        result = override(grad, (outputs, inputs), {
            "grad_outputs": grad_outputs, "retain_graph": retain_graph, "create_graph": create_graph,
            "only_inputs": only_inputs, "allow_unused": allow_unused, "is_grads_batched": is_grads_batched,
            "materialize_grads": materialize_grads})
        return result if names is None else dict(zip(names, result))
    if not only_inputs:
        warnings.warn("only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate "
                               "gradient for other parts of the graph, please use torch.autograd.backward.",
                               FutureWarning, stacklevel=2)
    retain_graph = create_graph if retain_graph is None else retain_graph
    grads = make_grads(grad_outputs, len(outputs))
    if is_grads_batched:
        # For its checks alone: inside of vmap the cotangents have no batch axis that could be compared.
        for i, (t, g) in enumerate(zip(outputs, grads)):
            seed(i, t, g, batched=True)
        result = batched_grad(outputs, inputs, grads, create_graph, allow_unused)
    else:
        result = run(outputs, grads, retain_graph, create_graph, inputs, False, allow_unused)
        result = result or ()
    if materialize_grads:
        result = tuple([zeros_like(t, create_graph) if g is None else g for g, t in zip(result, inputs)])
    return result if names is None else dict(zip(names, result))


def plain_tensors(tensors):
    """A tensor or a sequence of some as a tuple, if they are of no class that programs define; else None."""
    kind = type(tensors)
    if kind in PLAIN_KINDS:
        return (tensors,)
    return tuple(tensors) if (kind is list or kind is tuple) and PLAIN_KINDS.issuperset(map(type, tensors)) else None


def batched_grad(outputs, inputs, grads, create_graph, allow_unused):
    """`autograd.grad` with a batch of cotangents: one sweep under vmap."""
    def pull(*cts):
        return run(outputs, cts, True, create_graph, inputs, False, allow_unused)

    return together(pull, *grads)


def zeros_like(t, create_graph):
    """The gradient of an input that was not used, which may be asked for a gradient itself under `create_graph`."""
    if isinstance(t, GradientEdge):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    shape, dtype = shape_dtype(t)
    zeros = wrap(library(t).zeros(shape, dtype))
    return Tensor.requires_grad_(zeros) if create_graph else zeros


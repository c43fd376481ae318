"""jacobian and hessian of torch.autograd.functional: whole matrices of derivatives."""

from ..dispatch.layouts import straightened
from ..factories.creation import zeros_like
from ..forward_ad.forward_ad import dual_level, make_dual, unpack_dual
from ..func.batch import vmap
from ..func.jacobian import standard_basis
from ..modes.grad_mode import enable_grad
from ..modes.modes import restoring
from ..ops.joining import stack
from ..types.tensor_type import TensorBase
from .strictness import check_recorded, constant_derivative, gradients, listed, outputs_of, separate, settled


@restoring
def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """The Jacobian of `func` at `inputs`.

    Args:
        func: from tensors to a tensor or a tuple of them.
        inputs: a tensor or a tuple of them.
        create_graph: let gradients flow back from the Jacobian.
        strict: raise where an output does not depend on an input, instead of giving zeros.
        vectorize: one sweep under vmap instead of one sweep a row.
        strategy: "reverse-mode", or "forward-mode", which needs `vectorize`.
    Returns:
        for one output and one input a tensor of the output's axes followed by the input's; a tuple over the outputs,
        the inputs, or tuples over both where there are several.
    Raises:
        TypeError: an input or an output is no tensor.
        RuntimeError: in strict mode, an independent input.

    >>> import covector.compat.torch as torch
    >>> torch.autograd.functional.jacobian(lambda x: x ** 2, torch.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function '
                             'has more outputs than inputs, "forward-mode" tends to be more performant. Otherwise, '
                             'prefer to use "reverse-mode".')
    if strategy == "forward-mode":
        check_forward(create_graph, strict, vectorize)
        return by_columns(func, inputs)
    with enable_grad():
        several, inputs = listed(inputs, "inputs", "jacobian")
        inputs = separate(inputs, create_graph, True)
        many, outputs = outputs_of(func, inputs, "jacobian", strict)
        if vectorize and strict:
            raise RuntimeError("torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
                               "supported together. Please either set `strict=False` or `vectorize=False`.")
        rows = all_rows(outputs, inputs, create_graph) if vectorize else [
            row_by_row(i, out, inputs, create_graph, strict) for i, out in enumerate(outputs)]
    return nested([settled(row, create_graph) for row in rows], many, several)


def nested(rows, many, several):
    """Tuples over outputs and inputs, without those over a single one that was no tuple."""
    rows = tuple([tuple(row) if several else row[0] for row in rows])
    return rows if many else rows[0]


def row_by_row(i, out, inputs, create_graph, strict):
    """The Jacobians of output `i`: one sweep for each of its elements."""
    parts = [[] for _ in inputs]
    for j in range(out.nelement()):
        row = gradients((out.reshape(-1)[j],), inputs, retain_graph=True, create_graph=create_graph)
        for k, (g, x) in enumerate(zip(row, inputs)):
            if g is None:
                if strict:
                    raise RuntimeError(f"Output {i} of the user-provided function is independent of input {k}. This is "
                                       "not allowed in strict mode.")
                g = zeros_like(x)
            elif strict and create_graph and not g.requires_grad:
                raise RuntimeError(constant_derivative("jacobian", i))
            parts[k].append(g)
    return [stack(found, 0).view(out.size() + x.size()) for found, x in zip(parts, inputs)]


def all_rows(outputs, inputs, create_graph):
    """The Jacobians of all outputs: one sweep with a batch of cotangents."""
    cts, sizes = standard_basis([out.reshape(-1) for out in outputs])
    flat = tuple([out.reshape(-1) for out in outputs])
    found = gradients(flat, inputs, tuple(cts), create_graph=create_graph, is_grads_batched=True)
    columns = []
    for g, x in zip(found, inputs):
        g = zeros_like(x).expand((sum(sizes), *x.shape)) if g is None else straightened(g)
        columns.append([part.reshape(out.size() + x.size()) for part, out in zip(g.split(sizes, 0), outputs)])
    return list(zip(*columns))


def check_forward(create_graph, strict, vectorize):
    """Refuse options that the forward strategy does not support."""
    if create_graph:
        raise NotImplementedError("torch.autograd.functional.jacobian: `create_graph=True` and "
                                  '`strategy="forward-mode"` are not supported together (yet). Please either set '
                                  '`create_graph=False` or `strategy="reverse-mode"`.')
    if strict:
        raise RuntimeError('torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not '
                           "supported together (yet). Please either set `strict=False` or "
                           '`strategy="reverse-mode"`.')
    if not vectorize:
        raise NotImplementedError("Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly "
                                  "implemented for `vectorize=True`.")


def by_columns(func, inputs):
    """The Jacobian by forward mode: all tangents in one run under vmap."""
    several, inputs = listed(inputs, "inputs", "jacobian")
    tangents, sizes = standard_basis(inputs)
    seen = {}

    def push(*columns):
        with dual_level():
            duals = [make_dual(x, dx.view_as(x)) for x, dx in zip(inputs, columns)]
            seen["many"], outputs = listed(func(*duals), "outputs", None)
            pairs = [unpack_dual(out) for out in outputs]
            seen["shapes"] = [p.primal.shape for p in pairs]
            return tuple([zeros_like(p.primal) if p.tangent is None else p.tangent for p in pairs])

    pushed = vmap(push)(*tangents)
    rows = []
    for dots, shape in zip(pushed, seen["shapes"]):
        rows.append([part.permute(*range(1, part.ndim), 0).reshape((*shape, *x.shape))
                     for part, x in zip(dots.split(sizes, 0), inputs)])
    return nested(rows, seen["many"], several)


@restoring
def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """The Hessian of `func` at `inputs`: the Jacobian of its gradient.

    Args:
        func: from tensors to a tensor of one element.
        inputs: a tensor or a tuple of them.
        create_graph: let gradients flow back from the Hessian.
        strict: raise where the gradient does not depend on an input, instead of giving zeros.
        vectorize: one sweep under vmap instead of one sweep a row.
        outer_jacobian_strategy: "reverse-mode", or "forward-mode", which needs `vectorize`.
    Returns:
        a tensor of the input's axes twice; for a tuple of inputs, tuples over both.
    Raises:
        TypeError: an input or an output is no tensor.
        RuntimeError: not one output of one element; in strict mode, an independent input.

    >>> import covector.compat.torch as torch
    >>> torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    several, inputs = listed(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def scalar(*given):
        many, outputs = outputs_of(func, given, "hessian", strict)
        if many:
            raise RuntimeError("The function given to hessian should return a single Tensor")
        if outputs[0].nelement() != 1:
            raise RuntimeError("The Tensor returned by the function given to hessian should contain a single element")
        return outputs[0].squeeze()

    def gradient(*given):
        if outer_jacobian_strategy == "forward-mode":
            given = tuple([x.requires_grad_(True) for x in given])  # else `jacobian` would cut them off their tangents
        jac = jacobian(scalar, given, create_graph=True)
        if strict:
            check_recorded(jac, "jacobian")
        return jac

    rows = jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return nested(rows, several, several)


__all__ = ["hessian", "jacobian"]


# The private functions of `torch.autograd.functional` that programs write their own Jacobians with.


def _as_tuple(inp, arg_name=None, fn_name=None):
    """Tell whether a tensor or a tuple of them is a tuple, and it as one; the tuple alone where no names are given."""
    if arg_name is None and fn_name is None:
        return tuple(inp) if isinstance(inp, tuple | list) else (inp,)
    return listed(inp, arg_name, fn_name)


def _tuple_postprocess(res, to_unpack):
    """The first of a tuple unless `to_unpack`; two booleans speak of an outer and of the inner tuples."""
    if not isinstance(to_unpack, tuple):
        return res if to_unpack else res[0]
    outer, inner = to_unpack
    res = res if inner else tuple([x[0] for x in res])
    return res if outer else res[0]


def _grad_preprocess(inputs, create_graph, need_graph):
    """Tensors of their own over the same values, which ask for a gradient if `need_graph`."""
    return separate(inputs, create_graph, need_graph)


def _grad_postprocess(inputs, create_graph):
    """Tensors, or tuples of them, without history unless `create_graph`."""
    if isinstance(inputs[0], TensorBase):
        return settled(inputs, create_graph)
    return tuple([_grad_postprocess(x, create_graph) for x in inputs])


def _autograd_grad(outputs, inputs, grad_outputs=None, create_graph=False, retain_graph=None, is_grads_batched=False):
    """`autograd.grad` of those outputs that have a history, None for an input that none of them depends on."""
    return gradients(outputs, inputs, grad_outputs, create_graph=create_graph, retain_graph=retain_graph,
                     is_grads_batched=is_grads_batched)


def _construct_standard_basis_for(tensors, tensor_numels):
    """The rows of an identity matrix, in blocks of columns as long as each tensor and of its dtype."""
    if not tensors or [t.numel() for t in tensors] != list(tensor_numels):
        raise AssertionError("_construct_standard_basis_for: one number of elements is needed for each of at least "
                             f"one tensor, not {tuple(tensor_numels)} for tensors of {[t.numel() for t in tensors]}")
    return tuple([x.reshape(x.shape[0], n) for x, n in zip(standard_basis(tensors)[0], tensor_numels)])

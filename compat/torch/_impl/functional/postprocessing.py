"""The private functions of `torch.autograd.functional` that programs write their own Jacobians with."""

from ..func.jacobian import standard_basis
from ..types.tensor_type import TensorBase
from .strictness import gradients, listed, separate, settled


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

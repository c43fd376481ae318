"""associative_scan: all partial results of an associative function along an axis, in a logarithmic number of steps."""

from ..ops.joining import cat, stack
from ..types.pytree import tree_flatten, tree_map, tree_unflatten
from ..types.tensor_type import TensorBase
from .batch import vmap


def associative_scan(combine_fn, xs, dim, reverse=False, combine_mode="pointwise"):
    """The results of `combine_fn` of the first 1, 2, … elements of `xs` along an axis.

    Args:
        combine_fn: an associative function of two elements, each a pytree like `xs` without the axis.
        xs: a tensor, or a pytree of them, as long along `dim` as each other.
        reverse: start at the end.
        combine_mode: "generic"; "pointwise" is PyTorch's kernel for devices.

    >>> import covector.compat.torch as torch
    >>> from covector.compat.torch._higher_order_ops.associative_scan import associative_scan
    >>> associative_scan(lambda a, b: a * b, torch.tensor([1.0, 2.0, 3.0]), dim=0, combine_mode="generic")
    tensor([1., 2., 6.])
    """
    leaves, spec = tree_flatten(xs)
    if not leaves or not all(isinstance(x, TensorBase) for x in leaves):
        raise ValueError("Expected at least 1 xs leaf" if not leaves else "xs leaves must be a Tensor")
    dim = dim + leaves[0].ndim if isinstance(dim, int) and dim < 0 else dim
    check(combine_fn, leaves, dim, reverse, combine_mode)
    leaves = [x.movedim(dim, 0) for x in leaves]
    if reverse:
        leaves = [x.flip(0) for x in leaves]
    each = vmap(combine_fn)

    def combined(a, b):
        return tree_flatten(each(tree_unflatten(a, spec), tree_unflatten(b, spec)))[0]

    out = tree_unflatten(scanned(combined, leaves), spec)
    return tree_map(lambda x: (x.flip(0) if reverse else x).movedim(0, dim), out)


def check(combine_fn, leaves, dim, reverse, combine_mode):
    """Refuse what PyTorch refuses."""
    if not callable(combine_fn):
        raise ValueError(f"Combine_fn must be a callable, but got {combine_fn}")
    if not isinstance(dim, int):
        raise ValueError(f"Dim must be an int, but got {type(dim)}")
    if not isinstance(reverse, bool):
        raise RuntimeError(f"Reverse must be a bool, but got {type(reverse)}")
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}")
    if combine_mode == "pointwise":
        raise ValueError("For combine_mode='pointwise', all input tensors need to be on CUDA or XPU")
    if any(x.ndim <= dim or x.shape[dim] == 0 for x in leaves):
        raise ValueError("All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0")


def scanned(combined, xs):
    """All partial results along the first axis: those of pairs of neighbours, then the ones between."""
    n = xs[0].shape[0]
    if n < 2:
        return xs
    odd = scanned(combined, combined([x[: n - 1 : 2] for x in xs], [x[1::2] for x in xs]))
    even = combined([y[: (n - 1) // 2] for y in odd], [x[2::2] for x in xs]) if n > 2 else [x[:0] for x in xs]
    return [woven(cat((x[:1].to(e.dtype), e)), o) for x, e, o in zip(xs, even, odd)]


def woven(even, odd):
    """Elements of two tensors in turn; the first has as many as the second, or one more."""
    n = odd.shape[0]
    pairs = stack((even[:n], odd), 1).flatten(0, 1)
    return pairs if even.shape[0] == n else cat((pairs, even[n:]))

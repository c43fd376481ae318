"""Refusals of PyTorch's operations by dtype, where NumPy would compute something."""

import functools

from ..dispatch.call import ROWS
from ..types.dtypes import c_type, type_word


def refuse(names, kinds, message, error=NotImplementedError):
    """Make operations raise for tensors of some kinds of dtype (NumPy's letters).

    Args:
        message: with `{name}` and `{word}`, torch's word for the dtype.
    """
    for name in names.split():
        row = ROWS[name]
        row.body = guarded(row.body, name, kinds, message, error)


def guarded(body, name, kinds, message, error):
    """A body that looks at the dtype of its first argument first."""

    @functools.wraps(body)
    def checked(input, *args, **named):
        dtype = getattr(input, "dtype", None)
        if dtype is not None and dtype.kind in kinds:
            raise error(message.format(name=name.rpartition(".")[2], word=type_word(dtype)))
        return body(input, *args, **named)

    return checked


def same(names, places=None, words=None):
    """Make operations raise for tensors of different dtypes.

    Args:
        places: those of the arguments that count; by default all.
        words: what gives PyTorch's own message, a function of the dtypes of the arguments.
    """
    for name in names.split():
        row = ROWS[name]
        row.body = matched(row.body, name, places, words)
        if words is not None and row.refused is not None:
            row.refused.alone = True


def matched(body, name, places, own):
    """A body that compares the dtypes of its arguments first."""

    def checked(*args, **named):
        given = [*args, *named.values()] if places is None else [args[i] for i in places if i < len(args)]
        kinds = {v.dtype for v in given if hasattr(v, "dtype")}
        if len(kinds) > 1 and own is not None:
            raise RuntimeError(own(*[getattr(v, "dtype", None) for v in given]))
        if len(kinds) > 1:
            words = " and ".join(sorted(type_word(d) for d in kinds))
            raise RuntimeError(f"{name}(): expected all tensors to have the same dtype, but got {words}")
        return body(*args, **named)

    checked.__name__ = getattr(body, "__name__", name)
    return checked


def of_writing(x, value):
    """PyTorch's message for `index_put`."""
    return (f"Index put requires the source and destination dtypes match, got {type_word(x)} for the destination and "
            f"{type_word(value)} for the source.")


def of_linear(x, w, b=None):
    """PyTorch computes it as `addmm`, without a bias as `mm`."""
    if b is None:
        return f"expected m1 and m2 to have the same dtype, but got: {c_type(x)} != {c_type(w)}"
    return of_addmm(b, x, w)


def of_addmm(x, a, b):
    names, first, second = ("self and mat2", x, b) if x != b else ("mat1 and mat2", a, b)
    return f"{names} must have the same dtype, but got {type_word(first)} and {type_word(second)}"


def of_addmv(x, a, v):
    words = ", ".join([type_word(d) for d in (x, a)])
    return f"addmv input tensors must have the same dtype, but got {words}, and {type_word(v)}"


def of_baddbmm(x, a, b):
    """PyTorch compares the first two, then computes."""
    if x != a:
        return f"Input dtypes must be the same, got: input {c_type(x)}, batch1: {c_type(a)}, batch2: {c_type(b)}"
    return f"expected scalar type {type_word(x)} but found {type_word(b)}"


def of_bilinear(x, y, w, b=None):
    return (f"All tensors must have the same dtype, got input1: {c_type(x)}, input2: {c_type(y)}, weight: {c_type(w)}, "
            f"bias: {c_type(b or x)}")


def of_convolution(x, w, b=None, *_):
    """PyTorch looks at the bias first."""
    if b is not None and b != x:
        return f"Input type ({c_type(x)}) and bias type ({c_type(b)}) should be the same"
    return f"expected scalar type {type_word(x)} but found {type_word(w)}"


same("tensordot cdist linalg.solve linalg.solve_ex linalg.lstsq linalg.cross linalg.householder_product "
     "linalg.tensorsolve linalg.vecdot cross vdot isclose cholesky_solve "
     "triangular_solve ormqr nn.functional.prelu")
same("nn.functional.linear", words=of_linear)
same("addbmm", (0, 1, 2), of_addmm)
same("addmv", (0, 1, 2), of_addmv)
same("baddbmm", (0, 1, 2), of_baddbmm)
same("nn.functional.bilinear", words=of_bilinear)
same("nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d nn.functional.conv_transpose1d "
     "nn.functional.conv_transpose2d nn.functional.conv_transpose3d", words=of_convolution)
same("nn.functional.scaled_dot_product_attention", (0, 1, 2))
same("masked_scatter linalg.lu_solve", (0, 2))
same("index_put", (0, 2), of_writing)
same("lu_solve", (0, 1))
_FLOATS = "{name}: Expected a floating point or complex tensor as input. Got {word}"
refuse("linalg.solve linalg.cond linalg.tensorinv linalg.tensorsolve linalg.vecdot", "biu", _FLOATS,
       RuntimeError)
refuse("nn.functional.soft_margin_loss nn.functional.huber_loss", "biu",
       "result type Float can't be cast to the desired output type {word}", RuntimeError)
refuse("nn.functional.softmin", "b",
       "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` "
       "or `logical_not()` operator instead.", RuntimeError)
refuse("nn.functional.kl_div", "c", "{name} does not support complex inputs, got {word}",
       RuntimeError)
refuse("nn.functional.relu6 nn.functional.hardtanh", "b", "Bool inputs not supported for hardtanh", RuntimeError)
refuse("nn.functional.kl_div", "biu", "kl_div: Integral inputs not supported.", RuntimeError)
refuse("mvlgamma", "b", "The input tensor may not be a boolean tensor.", RuntimeError)
refuse("maximum minimum", "c", "{name} not implemented for complex tensors.", RuntimeError)
refuse("fmax fmin", "c", "{name} not implemented for complex tensors.", RuntimeError)
refuse("nn.functional.tanhshrink", "b",
       "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
       "instead.", RuntimeError)
refuse("abs", "b", "\"abs_cpu\" not implemented for '{word}'")
refuse("amax", "c", "\"max_values_cpu\" not implemented for '{word}'")
refuse("amin", "c", "\"min_values_cpu\" not implemented for '{word}'")
refuse("aminmax mode", "c", "\"{name}_cpu\" not implemented for '{word}'")
refuse("argmax argmin", "b", "{name}(): does not support bool input", RuntimeError)
refuse("argmax argmin", "c", "{name}(): does not support complex input", RuntimeError)
refuse("topk", "b", "topk does not support bool dtypes on CPU", RuntimeError)
refuse("sort argsort msort topk", "c", " Sort does not support complex dtypes on CPU", RuntimeError)
refuse("ceil floor trunc", "c", "{name} is not supported for complex inputs")
refuse("ceil floor trunc", "b", "\"{name}_vml_cpu\" not implemented for '{word}'")
refuse("round", "bc", "\"round_vml_cpu\" not implemented for '{word}'")
refuse("sign", "c", "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn "
                    "instead.")
refuse("nansum nanmean", "c", "nansum on CPU does not support complex inputs", RuntimeError)
refuse("nanmean", "biu", "nanmean(): expected input to have floating point or complex dtype but got {word}",
       RuntimeError)
refuse("neg", "b", "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, "
                   "use the `~` or `logical_not()` operator instead.", RuntimeError)
refuse("relu", "b", "Boolean inputs not supported for relu", RuntimeError)
refuse("relu clamp clamp_min clamp_max", "c", "clamp is not supported for complex types")
refuse("geqrf", "biu", "\"geqrf_cpu\" not implemented for '{word}'")
refuse("linalg.qr linalg.slogdet", "biu",
       "linalg.{name}: Expected a floating point or complex tensor as input. Got {word}", RuntimeError)
refuse("logdet", "biu", "logdet: Expected a floating point or complex tensor as input. Got {word}", RuntimeError)
refuse("erf erfc", "c", "\"{name}_vml_cpu\" not implemented for '{word}'")

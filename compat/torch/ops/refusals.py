"""What PyTorch's operations refuse by dtype, where NumPy would compute something."""

from ..call import ROWS
from ..dtypes import type_word


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

    def checked(input, *args, **named):
        dtype = getattr(input, "dtype", None)
        if dtype is not None and dtype.kind in kinds:
            raise error(message.format(name=name.rpartition(".")[2], word=type_word(dtype)))
        return body(input, *args, **named)

    checked.__name__ = getattr(body, "__name__", name)
    return checked


refuse("abs", "b", "\"abs_cpu\" not implemented for '{word}'")
refuse("amax", "c", "\"max_values_cpu\" not implemented for '{word}'")
refuse("amin", "c", "\"min_values_cpu\" not implemented for '{word}'")
refuse("aminmax mode", "c", "\"{name}_cpu\" not implemented for '{word}'")
refuse("max min", "c", "\"{name}_all\" not implemented for '{word}'")
refuse("argmax argmin", "b", "{name}(): does not support bool input", RuntimeError)
refuse("argmax argmin", "c", "{name}(): does not support complex input", RuntimeError)
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
refuse("relu", "c", "clamp is not supported for complex types")
refuse("geqrf", "biu", "\"geqrf_cpu\" not implemented for '{word}'")
refuse("linalg.qr linalg.slogdet", "biu",
       "linalg.{name}: Expected a floating point or complex tensor as input. Got {word}", RuntimeError)
refuse("logdet", "biu", "logdet: Expected a floating point or complex tensor as input. Got {word}", RuntimeError)
refuse("erf erfc", "c", "\"{name}_vml_cpu\" not implemented for '{word}'")

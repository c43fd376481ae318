"""The public functions of a namespace of torch; a name that is not implemented says so when it is asked for."""

import functools

from ..types.dtypes import NO_BFLOAT16
from .call import ROWS
from .overriding import dispatching
from .signatures import Looked, check, explain, signatures, synonyms

# Parts of PyTorch's surface that are not built, and say so when they are asked for.
UNBUILT = frozenset("""
nn.intrinsic nn.qat nn.quantizable nn.quantized nn.parallel nn.attention nn.DataParallel
distributions fill optim utils.data
utils.checkpoint.DefaultDeviceType utils.checkpoint.get_device_states utils.checkpoint.set_device_states
""".split())

# Operations that PyTorch has as methods of tensors alone.
METHODS = frozenset("expand expand_as permute_dims reshape_as unfold view_as".split())

FACTORIES = """arange empty empty_like eye full full_like linspace logspace ones ones_like scalar_tensor zeros
zeros_like bernoulli multinomial normal poisson rand rand_like randint randint_like randn randn_like randperm""".split()


def getter(prefix, module, later=None):
    """The `__getattr__` of a namespace of torch: `linalg.` for torch.linalg.

    Args:
        later: names with the modules, loaded then, that have them.
    """
    later = later or {}

    def __getattr__(name):  # noqa: N807
        row = ROWS.get(prefix + name)
        if row is not None and prefix + name not in METHODS:
            return public(row)
        if name in later:
            return getattr(later[name], name)
        if prefix + name == "bfloat16":
            raise AttributeError(NO_BFLOAT16)
        if prefix + name in UNBUILT:
            raise NotImplementedError(f"torch.{prefix}{name} is part of PyTorch's surface, but not implemented in this "
                                      "version of covector.compat.torch; see docs/compat_gaps.md for alternatives")
        raise AttributeError(f"module '{module}' has no attribute '{name}'")

    return __getattr__


@functools.cache
def public(row):
    """The function of a row; one of tensors looks at its arguments and asks their classes first."""
    return row.fun if row.asks else asking_first(row.name, row.fun)


def names(prefix):
    """The public functions of a namespace."""
    return {name[len(prefix):]: public(row) for name, row in ROWS.items()
            if name.startswith(prefix) and "." not in name[len(prefix):] and name not in METHODS}


def asking_first(name, fun):
    """A function of tensors that asks `__torch_function__`, and gives torch's TypeError where no signature fits.

    Operations look at their arguments themselves. Of other functions, those of torch.nn.functional look before they
    compute; the rest compute at once, and what went wrong is looked for afterwards.
    """
    if hasattr(fun, "row") or hasattr(fun, "signed"):
        return dispatching(fun, name)
    if name.startswith("nn.functional.") and signatures(name):
        return dispatching(fun, name, functools.partial(check, Looked(name)))

    @functools.wraps(fun)
    def checked(*args, **named):
        try:
            return fun(*args, **synonyms(name, named) if named else named)
        except (AttributeError, TypeError, ValueError, IndexError):
            explain(name, args, named)
            raise

    return dispatching(checked, name)

"""Small questions and constants of torch's top level: names of types, flags of tensors, threads, devices."""

import math
import warnings

from ..dispatch.call import ROWS, attach
from ..dispatch.overriding import overridden
from ..dispatch.surface import public
from ..modes.modes import modes, set_modes
from ..types.devices import checked
from ..types.size import CPU
from ..types.tensor_type import TensorBase
from ..views.views import GETITEM, view

e, pi, inf, nan, newaxis = math.e, math.pi, math.inf, math.nan, None


def asked(name, ask):
    """A question to a tensor as a function: `torch.is_complex(t)`."""

    def question(input):
        if not isinstance(input, TensorBase):
            override = overridden((input,), {})
            if override is not None:
                return override(question, (input,), {})
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        return ask(input)

    question.__name__ = question.__qualname__ = name
    question.asks_classes = True
    question.__doc__ = f"Return `{name}` of a tensor."
    return question


def _nonzero(t):
    if t.numel() != 1:
        raise RuntimeError(f"Boolean value of Tensor with {'no values' if not t.numel() else 'more than one value'} "
                           "is ambiguous")
    return bool(t)


is_floating_point = asked("is_floating_point", lambda t: t.is_floating_point())
is_complex = asked("is_complex", lambda t: t.is_complex())
is_signed = asked("is_signed", lambda t: t.is_signed())
is_conj = asked("is_conj", lambda t: t.is_conj())
is_neg = asked("is_neg", lambda t: t.is_neg())
is_nonzero = asked("is_nonzero", lambda t: t.is_nonzero())
is_distributed = asked("is_distributed", lambda t: t.is_distributed())
numel = asked("numel", lambda t: t.numel())
get_device = asked("get_device", lambda t: t.get_device())
resolve_conj = asked("resolve_conj", lambda t: t)
resolve_neg = asked("resolve_neg", lambda t: t)


def is_same_size(input, other):
    """Tell whether the shapes of two tensors are equal."""
    return input.is_same_size(other)


def is_storage(obj):
    """Tell whether an object is a storage."""
    return type(obj).__name__ in ("UntypedStorage", "TypedStorage")


def typename(obj):
    """The name of a tensor's type, or of any object's."""
    if isinstance(obj, TensorBase):
        return obj.type()
    kind = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(kind, "__module__", None)
    return kind.__qualname__ if module in (None, "builtins", "__builtin__") else f"{module}.{kind.__qualname__}"


def get_default_device():
    """The device of tensors from factories that are given none."""
    return modes().device or CPU


def set_default_device(device):
    """Let factories put tensors on a device from now on: `"cpu"`, `"cuda"` or `"meta"`; None is the CPU."""
    place = CPU if device is None else checked(device)
    set_modes(device=None if place.type == "cpu" else place)


def get_num_threads():
    """1: covector calls NumPy in one thread; its products have threads of their own."""
    return 1


def set_num_threads(n):
    """Accepted without effect: the threads are those of NumPy's products (OMP_NUM_THREADS)."""
    if n <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")


def get_num_interop_threads():
    """1: operations run one after the other."""
    return 1


def set_num_interop_threads(n):
    """Accepted without effect: operations run one after the other."""
    if n <= 0:
        raise RuntimeError("set_num_interop_threads expects a positive integer")


def set_flush_denormal(mode):
    """Tell whether denormal numbers can be flushed to zero: only leaving them is possible here."""
    return not mode


def sym_int(a):
    """`int(a)`, rounded towards zero."""
    return int(a)


def sym_float(a):
    """`float(a)`."""
    return float(a)


def sym_max(a, b):
    """The larger of two numbers, a float if one of them is."""
    return float(max(a, b)) if isinstance(a, float) or isinstance(b, float) else max(a, b)


def sym_min(a, b):
    """The smaller of two numbers, a float if one of them is."""
    return float(min(a, b)) if isinstance(a, float) or isinstance(b, float) else min(a, b)


def sym_not(a):
    """`not a`."""
    return not a


def sym_sqrt(a):
    """The square root of a number."""
    return math.sqrt(a)


def compiled_with_cxx11_abi():
    """True, as of all of PyTorch's builds today: nothing is compiled against it here."""
    return True


def as_subclass(self, cls):
    """The same memory and history as a tensor of a subclass."""
    if not (isinstance(cls, type) and issubclass(cls, TensorBase)):
        raise TypeError("Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. "
                        "Make sure your class inherits from Tensor.")
    out = view(self, GETITEM, ((Ellipsis,),), "AliasBackward0")
    out.__class__ = cls
    return out


def __rdiv__(self, other):  # noqa: N807 (an operator of Python 2 that torch still has)
    """`other / self`."""
    try:
        return self.reciprocal() * other
    except TypeError:
        return NotImplemented


def __reversed__(self):  # noqa: N807
    """The elements of the first axis from the last on."""
    return self.flip(0) if self.ndim else self


def __delitem__(self, index):  # noqa: N807
    """Refused, as by PyTorch."""
    raise TypeError("Tensor does not support deleting items")


def chalf(self, memory_format=None):
    """Refused: NumPy has no complex numbers of half precision."""
    raise NotImplementedError("complex32 does not exist in NumPy; use cfloat()")


def reinforce(self, reward):
    """Refused, as by PyTorch."""
    raise RuntimeError("reinforce() was removed. Use torch.distributions instead.")


def dim_order(self):
    """The axes from the outermost in memory inwards."""
    steps = self.stride()
    return tuple(sorted(range(self.ndim), key=lambda a: -steps[a]))


def chain_matmul(*matrices, out=None):
    """Product of several matrices; deprecated in favour of `linalg.multi_dot`."""
    warnings.warn("torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use "
                  "torch.linalg.multi_dot instead, which accepts a list of two or more tensors rather than multiple "
                  "parameters.", UserWarning, stacklevel=2)
    total = matrices[0]
    for m in matrices[1:]:
        total = total @ m
    return total if out is None else out.copy_(total)


for _name, _fun in {"is_nonzero": _nonzero, "as_subclass": as_subclass, "__rdiv__": __rdiv__,
                    "__reversed__": __reversed__, "__delitem__": __delitem__,
                    "chalf": chalf, "reinforce": reinforce, "dim_order": dim_order,
                    "to_dense": lambda self, dtype=None, *, masked_grad=True: self if dtype is None else self.to(
                        dtype), "dense_dim": lambda self: self.ndim, "sparse_dim": lambda self: 0,
                    "is_distributed": lambda self: False, "const_data_ptr": lambda self: self.data_ptr()}.items():
    attach(_name, _fun)


FUNCTIONALS = """
avg_pool1d adaptive_avg_pool1d bilinear celu channel_shuffle conv1d conv2d conv3d conv_transpose1d conv_transpose2d
conv_transpose3d cosine_similarity group_norm hardshrink layer_norm max_pool1d max_pool2d max_pool3d
pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu rms_norm rrelu rrelu_ selu threshold dropout alpha_dropout
feature_alpha_dropout
""".split()  # at the top level, too
METHODS = {"hardshrink": "hardshrink", "prelu": "prelu"}
for _method, _name in METHODS.items():
    attach(_method, ROWS[f"nn.functional.{_name}"].fun)


def inplace_function(name):
    """`torch.sin_(t)` of `Tensor.sin_`."""

    def fun(input, *args, **kwargs):
        return getattr(input, name)(*args, **kwargs)

    fun.__name__ = fun.__qualname__ = name
    fun.__doc__ = f"`input.{name}(…)`."
    return fun


INPLACE = """abs acos acosh addmv arccos arccosh arcsin arcsinh arctan arctanh as_strided asin asinh atan atanh ceil
clamp clamp_max clamp_min clip conj_physical cos cosh deg2rad detach erf erfc exp exp2 expm1 fill fix floor frac gcd i0
index_put lcm ldexp log log10 log1p log2 logit nan_to_num neg negative rad2deg reciprocal relu resize_as round rsqrt
sigmoid sin sinc sinh sqrt square tan tanh trunc xlogy zero""".split()
FUNCTIONS = {f"{n}_": inplace_function(f"{n}_") for n in INPLACE} | {
    n: public(ROWS[f"nn.functional.{n}"]) for n in [*FUNCTIONALS, "celu_", "selu_", "threshold_"]}
PUBLIC = {f.__name__: f for f in (
    is_floating_point, is_complex, is_signed, is_conj, is_neg, is_nonzero, is_distributed, numel, get_device,
    resolve_conj, resolve_neg, is_same_size, is_storage, typename, get_default_device, set_default_device,
    get_num_threads, set_num_threads, get_num_interop_threads, set_num_interop_threads, set_flush_denormal, sym_int,
    sym_float, sym_max, sym_min, sym_not, sym_sqrt, compiled_with_cxx11_abi, chain_matmul)} | FUNCTIONS | {
    "e": e, "pi": pi, "inf": inf, "nan": nan, "newaxis": newaxis}

"""torch.ops.aten: PyTorch's own names of the operations, for policies that choose among them."""

from ..dispatch.call import ROWS
from ..types.tensor_type import TensorBase

_ATTENTION = "scaled_dot_product_attention"
# What the name of a row is below PyTorch's surface.
_BELOW = {"softmax": "_softmax", "nn.functional.softmax": "_softmax", "log_softmax": "_log_softmax",
          "nn.functional.log_softmax": "_log_softmax", "true_divide": "div", "divide": "div", "multiply": "mul",
          "subtract": "sub", "nn.functional.layer_norm": "native_layer_norm",
          "nn.functional.group_norm": "native_group_norm", "nn.functional.batch_norm": "native_batch_norm",
          "nn.functional.conv1d": "convolution", "nn.functional.conv2d": "convolution",
          "nn.functional.conv3d": "convolution", "norm": "linalg_vector_norm", "einsum": "bmm"}
# Kernels of one operation, which are not told apart here.
_KERNELS = {f"_{_ATTENTION.replace('_attention', kind)}": _ATTENTION for kind in (
    "_flash_attention", "_efficient_attention", "_cudnn_attention", "_flash_attention_for_cpu")}
# What has no row, or is a view, of which no policy is asked: a policy may name it.
_MORE = frozenset("mm mv dot bmm addmm rsub view t transpose permute expand squeeze unsqueeze select slice split "
                  "unbind diagonal as_strided alias index index_put detach empty zeros ones full rand randn "
                  "_to_copy _pin_memory _sparse_addmm _sparse_mm_reduce_impl convolution "
                  "convolution_backward".split()) | {_ATTENTION}
_TENSOR = frozenset("add sub mul div remainder fmod floor_divide bitwise_and bitwise_or bitwise_xor index".split())
_COMPARED = frozenset("eq ne lt le gt ge".split())
_OVERLOADS = frozenset("default Tensor Scalar Tensor_Scalar Tensor_Tensor Scalar_Tensor Tensor_mode Scalar_mode dim "
                       "dim_IntList dim_int int int_Tensor self other out correction names_dim ScalarOpt_dim source "
                       "indices memory_format float stable dims Tensor_Tensor_out Tensor_Scalar_out".split())


class OpOverload:
    """One overload of an operation: `torch.ops.aten.mm.default`."""

    def __init__(self, packet, name):
        self.overloadpacket, self._overloadname = packet, name
        self.namespace = "aten"

    def name(self):
        """`aten::mm`, or `aten::sum.dim_IntList`."""
        return f"aten::{self.overloadpacket.word}" + (
            "" if self._overloadname == "default" else f".{self._overloadname}")

    def __str__(self):
        return f"{self.overloadpacket}.{self._overloadname}"

    def __repr__(self):
        return f"<OpOverload(op='{self.overloadpacket}', overload='{self._overloadname}')>"

    def __call__(self, *args, **kwargs):
        return self.overloadpacket(*args, **kwargs)


class OpOverloadPacket:
    """An operation by PyTorch's own name: `torch.ops.aten.mm`; its attributes are its overloads."""

    def __init__(self, word):
        self.word = word

    def __getattr__(self, name):
        if name not in _OVERLOADS:
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{name}'")
        made = self.__dict__[name] = OpOverload(self, name)
        return made

    def __str__(self):
        return f"aten.{self.word}"

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self}')>"

    def __call__(self, *args, **kwargs):
        row = next((ROWS[prefix + self.word] for prefix in ("", "nn.functional.") if prefix + self.word in ROWS), None)
        head, _, tail = self.word.partition("_")
        row = row or ROWS.get(f"{head}.{tail}")
        if row is None or row.fun is None:
            raise NotImplementedError(f"{self} is known by name, for policies, and cannot be called here; call the "
                                      "function of torch instead")
        return row.fun(*args, **kwargs)


class Namespace:
    """`torch.ops.aten`."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        found = _KERNELS.get(name, name)
        if found.removesuffix("_") not in words():
            raise AttributeError(f"'_OpNamespace' 'aten' object has no attribute '{name}'")
        made = self.__dict__[name] = packet(found)
        return made


aten = Namespace()


def packet(word):
    """The operation of a name, the same each time."""
    return aten.__dict__.setdefault(word, OpOverloadPacket(word))


def words():
    """PyTorch's own names of all operations."""
    return {word_of(name) for name in ROWS} | _MORE


def word_of(name):
    """PyTorch's own name of a row."""
    if name in _BELOW:
        return _BELOW[name]
    head, _, tail = name.rpartition(".")
    return tail if head in ("", "nn.functional") else f"{head.rpartition('.')[2]}_{tail}"


def overload_of(name, args, kwargs):
    """The overload that PyTorch would run below a call of a row: the heaviest one where it runs several."""
    if name == "matmul":
        return getattr(aten, product(args[0].dim(), args[1].dim())).default
    if name in ("linear", "nn.functional.linear"):
        bias = args[2] if len(args) > 2 else kwargs.get("bias")
        return (aten.mm if bias is None else aten.addmm).default
    found = packet(word_of(name))
    second = args[1] if len(args) > 1 else kwargs.get("other", kwargs.get("exponent"))
    return getattr(found, kind_of(found.word, args, second, kwargs))


def product(m, n):
    """The operation below a product of tensors with `m` and `n` axes."""
    if m == n == 1:
        return "dot"
    if n == 1:
        return "mv"
    return "mm" if n == 2 else "bmm"


def kind_of(word, args, second, kwargs):
    """The overload that a call means."""
    tensor = isinstance(second, TensorBase)
    if word in _TENSOR:
        return "Tensor"
    if word in _COMPARED:
        return "Tensor" if tensor else "Scalar"
    if word == "pow":
        return "Scalar" if not isinstance(args[0], TensorBase) else "Tensor_Tensor" if tensor else "Tensor_Scalar"
    if word in ("var", "std", "var_mean", "std_mean"):
        return "correction"
    if word == "where":
        return "self"
    named = second is not None or kwargs.get("dim") is not None
    if word in ("sum", "mean") and named:
        return "dim_IntList" if word == "sum" else "dim"
    if word in ("max", "min") and named:
        return "other" if tensor else "dim"
    return "default"

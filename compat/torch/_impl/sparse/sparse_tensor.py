"""The class of sparse tensors: what they show of themselves, and who is asked about everything else."""

from ..graph.node_data import visible
from ..modes.modes import MODES
from ..tensor.printing import represent_ambient, with_suffixes
from ..types import dtypes
from ..types.dtypes import OF_NUMPY
from ..types.parameter import Parameter
from ..types.size import CPU, Size, sparse_coo
from ..types.tensor_type import GENERAL, Tensor, infer, more, needs_grad, new, wrap
from .coo import CooArray

# PyTorch's repr of sparse tensors.


def represent(self):
    """`repr(tensor)` as PyTorch prints it."""
    prefix = "tensor("
    indent = len(prefix)
    suffixes = [f"size={tuple(self.shape)}", f"nnz={self._nnz()}"]
    if self.dtype not in (dtypes.Default.float, dtypes.Default.float.to_complex(), dtypes.int64, dtypes.bool_):
        suffixes.append(f"dtype={self.dtype}")
    suffixes.append("layout=torch.sparse_coo")
    if self.node is not None:
        suffixes.append(f"grad_fn=<{visible(self.node)[0].name().rpartition('::')[2]}>")
    elif self.wants_grad:
        suffixes.append("requires_grad=True")
    text = part(self._indices(), "indices", indent) + ",\n" + " " * indent + part(self._values(), "values", indent)
    text = with_suffixes(prefix + text, suffixes, indent, True)
    return f"Parameter containing:\n{text}" if isinstance(self, Parameter) else text


def part(t, name, indent):
    """`indices=tensor([…])`."""
    prefix = f"{name}=tensor("
    if not t.numel():
        return f"{prefix}[], size={tuple(t.shape)})"
    return prefix + represent_numbers(t, indent + len(prefix)) + ")"


def represent_numbers(t, indent):
    """The numbers of a tensor alone."""
    text = represent_ambient(t, " " * indent, False, numbers=True)
    return text[indent:]


def formatted(self, spec):
    """`format(tensor, spec)`."""
    return object.__format__(self, spec) if spec else represent(self)


TABLE = {}  # torch's name of an operation -> its function of tensors of which at least one is sparse
_WORDS = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long",
          "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool"}


def sparse_operation(*names):
    """Enter a function into the table of operations on sparse tensors."""

    def enter(fun):
        for name in names:
            TABLE[name] = fun
        return fun

    return enter


class Coo(CooArray):
    """Contents of a sparse tensor."""

    __slots__ = ()

    def tensor(self):
        """A sparse tensor over it, without a history."""
        t = new(SparseTensor)
        t.value = self
        t.node = t.autograd_meta = t.level_trace = None
        t.wants_grad = False
        t.dispatch_key = GENERAL
        m = MODES.get()
        if m is not None and m.inference:
            infer(t)
        return t


class SparseTensor(Tensor):
    """A tensor in coordinate format: `_indices()` are the places of its entries, `_values()` what stands there.

    Made by `torch.sparse_coo_tensor`, `Tensor.to_sparse`, and as the gradient of `embedding(sparse=True)`. It has its
    own few operations; all others raise and name themselves.

    >>> import covector.compat.torch as torch
    >>> s = torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3))
    >>> (s @ torch.ones(3, 1)).squeeze(1)
    tensor([3., 4.])
    """

    __slots__ = ()
    __hash__ = object.__hash__
    __repr__ = __str__ = represent
    __format__ = formatted
    other_layout = True
    is_sparse = True
    is_cpu = True
    layout = property(lambda self: sparse_coo)
    shape = property(lambda self: Size(self.value.shape))
    ndim = property(lambda self: len(self.value.shape))
    dtype = property(lambda self: OF_NUMPY[self.value.dtype])
    device = property(lambda self: CPU)
    is_meta = False

    def __reduce__(self):
        c = self.value
        return remade, (c.indices, c.values, c.shape, c.coalesced, needs_grad(self), self.__dict__ or None)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = name_of(func)
        fun = TABLE.get(name)
        if fun is None:
            raise unsupported(name)
        try:
            return fun(*args, **(kwargs or {}))
        except AttributeError as error:
            given = ", ".join(type(x).__name__ for x in args)
            raise TypeError(f"{name}() of sparse tensors does not take the arguments ({given}); call .to_dense() "
                            "first") from error

    # what it is

    def sparse_dim(self):
        """The number of sparse axes."""
        return len(self.value.indices)

    def dense_dim(self):
        """The number of dense axes."""
        return self.value.values.ndim - 1

    def _nnz(self):
        return self.value.nnz

    def is_coalesced(self):
        """Tell whether places are known to be distinct and in order."""
        return self.value.coalesced

    def _coalesced_(self, coalesced):
        c = self.value
        self.value = Coo(c.indices, c.values, c.shape, bool(coalesced))
        return self

    def _indices(self):
        return wrap(self.value.indices)

    def _values(self):
        return wrap(self.value.values)

    def indices(self):
        """The places of the entries, `(sparse_dim, nnz)`; of a coalesced tensor."""
        self._refuse_uncoalesced("indices")
        return wrap(self.value.indices)

    def values(self):
        """The values of the entries, `(nnz, …)`; of a coalesced tensor."""
        self._refuse_uncoalesced("values")
        return TABLE["values"](self)

    def _refuse_uncoalesced(self, name):
        if not self.value.coalesced:
            raise RuntimeError(f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first")

    def stride(self, dim=None):
        """Zeros: there is no memory of all elements."""
        return (0,) * self.ndim if dim is None else 0

    def storage_offset(self):
        """0."""
        return 0

    def is_contiguous(self, memory_format=None):
        """False: there is no memory of all elements."""
        return False

    @property
    def nbytes(self):
        raise RuntimeError("nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors"
                           ", add the nbytes of the indices and values.  If you want the size of the  equivalent dense "
                           "tensor, multiply numel() by element_size()")

    def data_ptr(self):
        """Refused, as by PyTorch."""
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def storage(self):
        """Refused, as by PyTorch."""
        raise NotImplementedError("Cannot access storage of SparseTensorImpl")

    untyped_storage = storage

    def numpy(self, *, force=False):
        """Refused, as by PyTorch."""
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")

    def __array__(self, dtype=None, copy=None):
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")

    def tolist(self):
        """Refused, as by PyTorch."""
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage; call .to_dense() first")

    def item(self):
        """The only element."""
        if self.numel() != 1:
            raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return self.value.dense().item()

    def __bool__(self):
        if self.numel() != 1:
            raise RuntimeError(f"Boolean value of Tensor with {'more than one' if self.numel() else 'no'} value"
                               f"{'' if self.numel() else 's'} is ambiguous")
        return bool(self.item())

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    __index__ = __int__

    def type(self, dtype=None, non_blocking=False):
        """The name of its type, or the same values in another dtype."""
        if dtype is None:
            return f"torch.sparse.{_WORDS.get(self.dtype.name, self.dtype.name)}Tensor"
        return self.to(dtype)

    # copies and histories

    def detach(self):
        """The same entries without a history."""
        return Coo(self.value.indices, self.value.values, self.value.shape, self.value.coalesced).tensor()

    @property
    def data(self):
        """The same entries without a history."""
        return self.detach()

    @data.setter
    def data(self, value):
        if not isinstance(value, SparseTensor):
            raise RuntimeError("data of a sparse tensor can only be set to a sparse tensor; use to_sparse()")
        self.value = value.value

    def __deepcopy__(self, memo):
        if self.node is not None:
            raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
                               "protocol at the moment; call .detach() first")
        if id(self) not in memo:
            t = memo[id(self)] = self.value.copy().tensor()
            t.wants_grad = self.wants_grad
            if self.autograd_meta is not None and self.autograd_meta.grad is not None:
                more(t).grad = self.autograd_meta.grad.__deepcopy__(memo)
            t.__dict__.update(self.__dict__)
        return memo[id(self)]

    def __copy__(self):
        t = self.detach()
        t.wants_grad = needs_grad(self)
        t.__dict__.update(self.__dict__)
        return t

    def __iter__(self):
        if not self.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter(TABLE["unbind"](self, 0))


for _name in ("T", "mT", "H", "mH", "real", "imag"):
    setattr(SparseTensor, _name, property(lambda self, name=_name: attribute(self, name)))


def reflected(name):
    """The operator of an operand on the left: Python asks the class that is the subclass first."""

    def operator(self, other):
        return TABLE[name](other, self)

    operator.__name__ = operator.__qualname__ = f"__r{name}__"
    return operator


for _name in ("add", "sub", "mul", "matmul"):
    setattr(SparseTensor, f"__r{_name}__", reflected(_name))


def attribute(t, name):
    """A property that is an operation."""
    if name not in TABLE:
        raise unsupported(name)
    return TABLE[name](t)


def remade(indices, entries, shape, coalesced, requires_grad, attributes):
    """A sparse tensor that was pickled."""
    t = Coo(indices, entries, shape, coalesced).tensor()
    t.wants_grad = requires_grad
    t.__dict__.update(attributes or {})
    return t


def name_of(func):
    """torch's name of a function or method that an operation was asked by."""
    own = getattr(func, "__name__", str(func))
    row = getattr(func, "row", None)
    if row is None:
        return own
    return row.name + "_" if own.endswith("_") and not own.endswith("__") and not row.name.endswith("_") else row.name


def unsupported(name):
    """PyTorch's error for an operation that sparse tensors have not."""
    word = name.rpartition(".")[2]
    word = word.strip("_") if word.startswith("__") else word
    return NotImplementedError(f"Could not run 'aten::{word}' with arguments from the 'SparseCPU' "
                               "backend: the operation is not implemented for sparse tensors in "
                               "covector.compat.torch; call .to_dense() first")

"""The class of sparse tensors: what they show of themselves, and who is asked about everything else."""

import numpy as np

from ..dispatch.call import ROWS
from ..function.function import Function
from ..graph import versions
from ..modes.modes import MODES, modes
from ..state.edges import edge
from ..types.dtypes import OF_NUMPY
from ..types.size import CPU, Size, sparse_coo
from ..types.tensor_type import GENERAL, Tensor, TensorBase, infer, more, ndarray, needs_grad, new, wrap
from .coo import CooArray, found_at, keys
from .printing import formatted, represent

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
    """What a sparse tensor holds."""

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
        return fun(*args, **(kwargs or {}))

    # what it is

    def sparse_dim(self):
        """How many axes have indices."""
        return len(self.value.indices)

    def dense_dim(self):
        """How many axes values have."""
        return self.value.values.ndim - 1

    def _nnz(self):
        return self.value.nnz

    def is_coalesced(self):
        """Whether places are known to be distinct and in order."""
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
        return shown(values(self), "ValuesBackward0", [self])

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
        raise RuntimeError("nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors, "
                           "add the nbytes of the indices and values.  If you want the size of the  equivalent dense "
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


# entries and tensors, with history


class Values(Function):
    """The values of the entries of a tensor whose places are distinct."""

    @staticmethod
    def forward(t):
        array = t.value.values.view()
        array.flags.writeable = False  # a write would have no history
        return wrap(array)

    @staticmethod
    def setup_context(ctx, inputs, output):
        c = inputs[0].value
        ctx.places = c.indices, c.shape, c.coalesced

    @staticmethod
    def backward(ctx, grad):
        return laid(grad, *ctx.places)


class Laid(Function):
    """A tensor of values at some places."""

    @staticmethod
    def forward(entries, indices, shape, coalesced):
        return Coo(indices, entries_of(entries), shape, coalesced).tensor()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.places = inputs[1:3]

    @staticmethod
    def backward(ctx, grad):
        return at_places(grad, *ctx.places), None, None, None


class Coalesced(Function):
    """The same tensor with distinct places in order."""

    @staticmethod
    def forward(t):
        return t.value.coalesce().tensor()

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad):
        return grad


def recorded(*tensors):
    """Whether an operation on tensors is recorded."""
    return modes().grad and any(needs_grad(t) for t in tensors)


def entries_of(t):
    """The array of a tensor of values."""
    if type(t.value) is not ndarray:
        raise NotImplementedError("sparse tensors of values of a running transform (vmap, func.grad, jvp) are not "
                                  "supported; use dense tensors inside, or loss.backward()")
    return t.value


def laid(entries, indices, shape, coalesced=False):
    """A sparse tensor of a tensor of values, with its history."""
    if recorded(entries):
        return Laid.apply(entries, indices, tuple(shape), coalesced)
    return Coo(indices, entries_of(entries), shape, coalesced).tensor()


def values(t):
    """The values of a sparse tensor of distinct places, with its history."""
    return Values.apply(t) if recorded(t) else wrap(t.value.values)


def coalesced(t):
    """A sparse tensor with distinct places in order."""
    if t.value.coalesced:
        return t
    return Coalesced.apply(t) if recorded(t) else t.value.coalesce().tensor()


def distinct(t):
    """A sparse tensor whose values may be computed with one by one: as it is if no two entries share a place."""
    return t if t.value.distinct else coalesced(t)


def at_places(t, indices, shape):
    """The elements of a tensor, dense or sparse, at some places: `(nnz, *dense)`."""
    places = keys(indices, shape)
    if isinstance(t, SparseTensor):
        t = coalesced(t)
        at, hit = found_at(t.value, places)
        found = values(t)
        if not t.value.nnz:
            return wrap(np.zeros((len(places), *found.shape[1:]), found.value.dtype))
        mask = wrap(hit.reshape(-1, *[1] * (found.ndim - 1)))
        return ROWS["where"].fun(mask, ROWS["index_select"].fun(found, 0, wrap(at)), 0)
    k = len(indices)
    flat = ROWS["reshape"].fun(t, (Size(t.shape[:k]).numel(), *t.shape[k:]))
    return ROWS["index_select"].fun(flat, 0, wrap(places))


def entrywise(t, fun, indices=None, shape=None, ordered=None):
    """A sparse tensor of `fun` of the values; with other places if they are given.

    Args:
        ordered: whether the new places are distinct and in order if the old ones are.
    """
    if recorded(t):
        t = distinct(t)
    c = t.value
    entries = fun(values(t))
    if indices is None:
        return laid(entries, c.indices, c.shape if shape is None else shape, c.coalesced)
    return laid(entries, indices(c.indices), shape, c.coalesced and bool(ordered))


def shown(t, name, operands):
    """An output whose node has PyTorch's name and the operands of the whole operation as its edges."""
    node = t.node
    if node is not None and all(x is None or node is not x.node for x in operands):
        extra = node.more()
        extra.name = name
        extra.edges = tuple([edge(x) if x is not None and needs_grad(x) else None for x in operands])
    return t


def plain_memory(t):
    """The array of a dense tensor that may be written to directly: nothing is recorded of it; None otherwise."""
    if not isinstance(t, TensorBase) or type(t.value) is not ndarray or t.level_trace is not None or recorded(t):
        return None
    meta = t.autograd_meta
    if not t.value.flags.writeable or meta is not None and (meta.tangent is not None or meta.inference):
        return None
    return t.value


def write_entries(t, coo):
    """Replace what a sparse tensor holds, in place."""
    if recorded(t):
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation." if not t.node
                           else "in-place operations on sparse tensors with a history are not supported; use the "
                           "operation that returns a new tensor")
    versions.bump(t.value.values)
    versions.bump(coo.values)
    t.value = coo
    return t

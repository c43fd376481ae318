"""Unpicklers of files of tensors: one for files that are trusted, one that makes tensors and plain data alone."""

import io
import pickle
import pickletools
import sys
from collections import OrderedDict

import numpy as np

from ....._engine import LazyModule
from ..state.meta import meta_tensor
from ..tensor.storage import over
from ..types import dtypes
from ..types.size import LAYOUTS, Size, device as Device, sparse_coo
from ..types.tensor_type import Tensor, wrap
from .kept_classes import rebuilt_of_class, rebuilt_parameter
from .safe_globals import allowed, get_safe_globals

WORDS = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long",
         "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool",
         "complex64": "ComplexFloat", "complex128": "ComplexDouble"}
KINDS = {word + "Storage": dtypes.NAMED[name] for name, word in WORDS.items() if name in dtypes.NAMED}


def rebuilt(storage, offset, size, stride, requires_grad=False, hooks=None, metadata=None):
    """A tensor over a storage that was read."""
    root, dtype = storage
    t = meta_tensor(tuple(size), dtype.numpy) if root is None else wrap(
        over(root, dtype.numpy, offset, tuple(size), tuple(stride)))
    if requires_grad:
        t.requires_grad_()
    return t


def rebuilt_sparse(layout, data):
    """A sparse tensor that was read."""
    if layout is not sparse_coo:
        raise pickle.UnpicklingError(f"load() got a tensor of layout {layout}; sparse tensors are read in coordinate "
                                     "format, torch.sparse_coo")
    indices, values, size, *coalesced = data
    return _SPARSE.sparse_coo_tensor(indices, values, size, is_coalesced=bool(coalesced and coalesced[0]))


def layout_named(name):
    """A layout by its name."""
    found = next((x for x in LAYOUTS if repr(x) == name), None)
    if found is None:
        raise pickle.UnpicklingError(f"load() got the layout {name!r}, which is none of PyTorch's")
    return found


_SPARSE = LazyModule("covector.compat.torch._impl.sparse.room")
ALLOWED = {("torch._utils", "_rebuild_sparse_tensor"): rebuilt_sparse,
            ("torch.serialization", "_get_layout"): layout_named,
            ("torch._utils", "_rebuild_tensor_v2"): rebuilt,
            ("torch._utils", "_rebuild_parameter"): rebuilt_parameter,
            ("torch._utils", "_rebuild_parameter_with_state"): rebuilt_parameter,
            ("torch._tensor", "_rebuild_from_type_v2"): rebuilt_of_class, ("torch", "Tensor"): Tensor,
            ("collections", "OrderedDict"): OrderedDict, ("torch", "Size"): Size, ("torch", "device"): Device,
            ("builtins", "set"): set, ("builtins", "complex"): complex, ("__builtin__", "set"): set,
            ("__builtin__", "complex"): complex, ("_codecs", "encode"): lambda text, code: text.encode(code),
            **{("torch", word): dtype for word, dtype in KINDS.items()},
            **{("torch", name): dtype for name, dtype in dtypes.NAMED.items()}}


class Known:
    """The common part of readers: PyTorch's names of tensors and their parts, and storages."""

    def __init__(self, archive, prefix, mapped):
        super().__init__(io.BytesIO(self.checked(archive.read(prefix + "data.pkl"))))
        self.archive, self.prefix, self.mapped = archive, prefix, mapped
        self.roots, self.refused = {}, None

    def checked(self, text):
        """The pickle, where it asks for no more memory than it fills."""
        return text

    def known(self, module, name):
        """The object under a name that a file may use, or None."""
        if "bfloat16" not in dtypes.NAMED and module == "torch" and name in ("bfloat16", "BFloat16Storage"):
            raise pickle.UnpicklingError(dtypes.NO_BFLOAT16)
        return ALLOWED.get((module, name)) or allowed(module, name)

    def persistent_load(self, pid):
        if pid[0] == "module" and len(pid) == 4:  # of before 1.6: a class, and its source where that was saved
            return pid[1]
        kind, dtype, key, location, count = pid[:5]
        if kind != "storage" or not isinstance(dtype, dtypes.dtype):
            raise pickle.UnpicklingError(f"load() got a reference of the unknown kind {kind!r}")
        if self.mapped is None:
            return None, dtype
        if key not in self.roots:
            data = self.archive.read(f"{self.prefix}data/{key}")
            root = np.frombuffer(bytearray(data), np.uint8)[: count * dtype.itemsize].copy()
            try:
                self.roots[key] = self.mapped(root, dtype, location)
            except Exception as error:
                self.refused = error
                raise
        return self.roots[key], dtype


class Reader(Known, pickle.Unpickler):
    """An unpickler for files that are trusted: it makes and calls whatever they name."""

    def checked(self, text):
        if pickle.BYTEARRAY8 in text:  # its memory is taken before its bytes are read
            for _ in pickletools.genops(text):  # which raises where they are not there
                pass
        return text

    def find_class(self, module, name):
        found = self.known(module, name)
        if found is not None:
            return found
        if module.partition(".")[0] == "torch":  # a module that PyTorch wrote becomes one of ours
            module = "covector.compat." + module
        return super().find_class(module, name)


class Bounded(pickle._Unpickler):
    """An unpickler that takes the memory of what is there, not of what a file says that it holds."""

    dispatch = dict(pickle._Unpickler.dispatch)

    def load_bytearray8(self):
        """Push a bytearray of so many bytes."""
        size = int.from_bytes(self.read(8), "little")
        found = self.read(min(size, sys.maxsize))
        if len(found) != size:
            raise EOFError(f"{len(found)} of the {size} bytes of a bytearray are there")
        self.append(bytearray(found))

    dispatch[pickle.BYTEARRAY8[0]] = load_bytearray8


class StrictReader(Known, Bounded):
    """An unpickler that makes tensors, numbers, lists and dicts, and what the user allows; it writes to nothing else.

    It is the one in Python: that in C sets attributes of any object, of functions and classes too, and takes memory as
    a file asks for it.
    """

    dispatch = dict(Bounded.dispatch)

    def find_class(self, module, name):
        found = self.known(module, name)
        if found is None:
            raise pickle.UnpicklingError(
                f"Weights only load failed. Unsupported global: GLOBAL {module}.{name} is not an allowed global by "
                "default; name it in torch.serialization.safe_globals(...) if you know that it is safe, or pass "
                "weights_only=False if you trust the source of the file")
        return found

    def load_build(self):
        """Set the state of an object."""
        made = self.stack[-2]
        if type(made) is not OrderedDict and not any(type(made) is (thing[0] if isinstance(thing, tuple) else thing)
                                                     for thing in get_safe_globals()):
            raise pickle.UnpicklingError(f"Weights only load failed. Trying to set the state of a "
                                         f"{type(made).__name__}; pass weights_only=False if you trust the source of "
                                         "the file")
        super().load_build()

    dispatch[pickle.BUILD[0]] = load_build

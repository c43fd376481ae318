"""Unpicklers of files of tensors: one for files that are trusted, one that makes tensors and plain data alone."""

import io
import pickle
import pickletools
import struct
import sys
from collections import OrderedDict

import numpy as np

from ....._engine import LazyModule
from ..state.meta import meta_tensor
from ..tensor.storage import over
from ..types import dtypes
from ..types.parameter import Parameter
from ..types.size import LAYOUTS, Size, device as Device, sparse_coo
from ..types.tensor_type import Tensor, TensorBase, wrap
from .safe_globals import allowed, get_safe_globals

# Pickled state of a tensor besides its elements: its class and its attributes.


def own_pickle(kind):
    """Tell whether a class of tensors says itself how it is pickled."""
    return kind.__reduce__ not in (Tensor.__reduce__, Parameter.__reduce__) or (
        kind.__reduce_ex__ is not object.__reduce_ex__)


def state_of(t):
    """The pickled state of a tensor: the argument of the class's `__setstate__`, or its attributes, or None."""
    get = type(t).__getstate__ if hasattr(type(t), "__getstate__") else object.__getstate__
    return (t.__dict__ or None) if get is getattr(object, "__getstate__", None) else get(t)


def rebuilt_parameter(data, requires_grad, hooks, state=None):
    """A parameter that was read, with its attributes."""
    return with_state(Parameter(data, requires_grad), state)


def rebuilt_of_class(make, kind, args, state):
    """A tensor of a class that was read, with its attributes."""
    if not isinstance(kind, type) or not issubclass(kind, TensorBase):
        raise pickle.UnpicklingError(f"load() got {kind!r} as the class of a tensor")
    t = make(*args)
    return with_state(t if type(t) is kind else t.as_subclass(kind), state)


def with_state(t, state):
    """A tensor with the attributes that a file has for it."""
    if hasattr(type(t), "__setstate__"):
        t.__setstate__(state)
    elif state:
        if type(state) not in (dict, OrderedDict):
            raise pickle.UnpicklingError(f"load() got a {type(state).__name__} as the attributes of a tensor")
        t.__dict__.update(state)
    return t


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


# Files of torch.save before PyTorch 1.6: one pickle after the other, and then the bytes of each storage.

MAGIC, VERSION = 0x1950A86A20F9469CFC6C, 1001
NO_FILE = ("load() got a file that is neither a zip archive of torch.save nor a file of PyTorch before 1.6; it is "
           "damaged, or was written by another program; save it anew with torch.save")
CUT = ("load() got a file that begins as a zip archive and does not end as one: it was cut off, or is damaged; copy it "
       "again, or save it anew")


class LegacyArchive:
    """Such a file, with the parts that an archive has: `data.pkl`, `byteorder`, `data/KEY`.

    Args:
        f: a file open for reading bytes.
        strict: refuse what only trusted files may name.
    Raises:
        UnpicklingError: it is no such file.
    """

    def __init__(self, f, strict):
        data = f.read()
        stream = io.BytesIO(data)
        try:
            magic = Plain(stream).load()
        except Exception as error:
            raise pickle.UnpicklingError(CUT if data[:2] == b"PK" else NO_FILE) from error
        if magic != MAGIC:
            raise pickle.UnpicklingError(NO_FILE)
        version, facts = Plain(stream).load(), Plain(stream).load()
        if version != VERSION:
            raise pickle.UnpicklingError(f"load() got a file of version {version!r} of before PyTorch 1.6; only "
                                         f"{VERSION} is read, load it with that PyTorch and save it again")
        self.parts = {"byteorder": b"little" if facts["little_endian"] else b"big"}
        start = stream.tell()
        survey = Survey(stream, strict)
        survey.load()
        self.parts["data.pkl"] = data[start : stream.tell()]
        for key in Plain(stream).load():
            (count,) = struct.unpack("<q", stream.read(8))
            dtype = survey.storages[key]
            size = count * dtype.itemsize
            found = stream.read(size) if count >= 0 else b""
            if len(found) != size:
                raise EOFError(f"{len(found)} of the {size} bytes of the storage {key!r} are there")
            self.parts[f"data/{key}"] = found

    def namelist(self):
        """The names of the parts."""
        return list(self.parts)

    def read(self, name):
        """The bytes of a part."""
        return self.parts[name]

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass


class Plain(Bounded):
    """An unpickler of numbers, texts, lists and dicts."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"load() got {module}.{name} where a file of before PyTorch 1.6 has plain data")


class Survey(StrictReader):
    """Reads a pickle for the storages that it names: their bytes lie behind it, one after the other."""

    def __init__(self, stream, strict):
        pickle._Unpickler.__init__(self, stream)
        self.strict, self.storages, self.mapped = strict, {}, None  # all tensors are of device meta

    def find_class(self, module, name):
        found = ALLOWED.get((module, name))
        if found is None and self.strict:
            super().find_class(module, name)  # which refuses what the user does not allow
        return Unmade if found is None else found

    def persistent_load(self, pid):
        if pid[0] == "storage" and isinstance(pid[1], dtypes.dtype):
            if len(pid) > 5 and pid[5] is not None:
                raise pickle.UnpicklingError("load() got a storage that is a view of another one, as PyTorch before "
                                             "0.4 saved them; load the file there and save it again")
            self.storages[pid[2]] = pid[1]
        return super().persistent_load(pid)

    def load_build(self):
        """Set no state of what is not made."""
        if isinstance(self.stack[-2], Unmade):
            self.stack.pop()
        else:
            super().load_build()

    dispatch = StrictReader.dispatch | {pickle.BUILD[0]: load_build}


class Unmade:
    """Stands for an object of a trusted file while its storages are looked for."""

    def __new__(cls, *args, **kwargs):
        return object.__new__(cls)

    def __init__(self, *args, **kwargs):
        pass

    def __hash__(self):
        return 0

    def append(self, item):
        """Take nothing."""

    def extend(self, items):
        """Take nothing."""

    def add(self, item):
        """Take nothing."""

    def __setitem__(self, key, value):
        pass

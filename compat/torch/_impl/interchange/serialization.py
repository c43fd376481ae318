"""save and load: PyTorch's own file format, a zip of a pickle and the bytes of each storage."""

import io
import os
import pickle
import pickletools
import struct
import zipfile
import zlib
from collections import OrderedDict

import numpy as np

from ....._engine import LazyModule
from ..graph import versions
from ..graph.hooks import warn_if_has_hooks
from ..state.concrete import refuse_copy
from ..state.meta import is_meta, meta_tensor, on_meta
from ..tensor.storage import over
from ..types import dtypes
from ..types.arrays import ARRAYS, address
from ..types.devices import moved
from ..types.parameter import Parameter
from ..types.size import CPU, LAYOUTS, Size, device as Device, layout as Layout, sparse_coo
from ..types.tensor_type import Tensor, TensorBase, wrap
from ..types.tensor_value import bottom
from ..views.memory import steps_of
from .kept_classes import own_pickle, rebuilt_of_class, rebuilt_parameter, state_of
from .map_location import check, mapping, tag
from .safe_globals import allowed, get_safe_globals

_WORDS = {"float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long",
          "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool",
          "complex64": "ComplexFloat", "complex128": "ComplexDouble"}
_KINDS = {word + "Storage": dtypes.NAMED[name] for name, word in _WORDS.items() if name in dtypes.NAMED}


def save(obj, f, pickle_module=pickle, pickle_protocol=2, _use_new_zipfile_serialization=True):
    """Write an object that contains tensors to a file, in PyTorch's format.

    Args:
        obj: anything picklable; tensors keep sharing the memory they share.
        f: a path, or a file open for writing bytes. PyTorch can load what is written, and the other way round.

    >>> import io
    >>> import covector.compat.torch as torch
    >>> file = io.BytesIO()
    >>> torch.save({"w": torch.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    {'w': tensor([1., 1.])}
    """
    if not isinstance(f, str | os.PathLike) and not hasattr(f, "write"):
        raise AttributeError(f"expected 'f' to be string, path, or a file-like object with a 'write' attribute, but "
                             f"got {type(f).__name__}")
    buffer = io.BytesIO()
    pickler = Writer(buffer, min(pickle_protocol, 2))
    pickler.dump(obj)
    name = "archive"
    if isinstance(f, str | os.PathLike):
        folder, file = os.path.split(os.fspath(f))
        if folder and not os.path.isdir(folder):
            raise RuntimeError(f"Parent directory {folder} does not exist.")
        name = os.path.splitext(file)[0]
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{name}/data.pkl", buffer.getvalue())
        archive.writestr(f"{name}/byteorder", "little")
        for key, root in enumerate(pickler.roots):
            archive.writestr(f"{name}/data/{key}", moved(versions.flat(root), CPU).tobytes())
        archive.writestr(f"{name}/version", "3\n")


class Global:
    """A name of PyTorch's, pickled without PyTorch."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self, *args):
        raise TypeError(f"{self.module}.{self.name} stands for PyTorch's own and is not called here")


_REBUILD = Global("torch._utils", "_rebuild_tensor_v2")
_REBUILD_PARAMETER = Global("torch._utils", "_rebuild_parameter")
_REBUILD_WITH_STATE = Global("torch._utils", "_rebuild_parameter_with_state")
_REBUILD_OF_CLASS = Global("torch._tensor", "_rebuild_from_type_v2")
_TENSOR = Global("torch", "Tensor")
_REBUILD_SPARSE = Global("torch._utils", "_rebuild_sparse_tensor")
_LAYOUT = Global("torch.serialization", "_get_layout")
_SIZE = Global("torch", "Size")
_DEVICE = Global("torch", "device")
_STORAGES = {word: Global("torch", word) for word in _KINDS}
_DTYPES = {name: Global("torch", name) for name in dtypes.NAMED}


class Storage:
    """The memory of a tensor, as the pickle refers to it."""

    def __init__(self, key, root, dtype):
        self.key, self.root, self.dtype = key, root, dtype


class Writer(pickle._Pickler):
    """A pickler that writes tensors as PyTorch does. (The one in Python: the one in C writes no foreign names.)"""

    def __init__(self, file, protocol):
        super().__init__(file, protocol)
        self.roots, self.keys = [], {}

    def persistent_id(self, obj):
        if not isinstance(obj, Storage):
            return None
        word = _WORDS[obj.dtype.name]
        count = obj.root.nbytes // obj.dtype.itemsize
        return "storage", _STORAGES[word + "Storage"], str(obj.key), tag(obj.root), count

    def reducer_override(self, obj):
        if isinstance(obj, TensorBase):
            return self.classed(obj)
        if isinstance(obj, Layout):
            return _LAYOUT, (repr(obj),)
        if isinstance(obj, Size):
            return _SIZE, (tuple(obj),)
        if isinstance(obj, Device):
            return _DEVICE, (obj.type,) if obj.index is None else (obj.type, obj.index)
        return NotImplemented

    def classed(self, t):
        """What rebuilds a tensor of any class, with its attributes."""
        kind = type(t)
        if t.other_layout:
            warn_if_has_hooks(t)
            return self.sparse(t)
        if own_pickle(kind):
            return NotImplemented
        state = state_of(t)
        if isinstance(t, Parameter):
            rebuild = _REBUILD_PARAMETER if state is None else _REBUILD_WITH_STATE
            return rebuild, (t.data, t.requires_grad, OrderedDict(), *([] if state is None else [state]))
        warn_if_has_hooks(t)
        if kind is Tensor and state is None:
            return self.tensor(t)
        return _REBUILD_OF_CLASS, (_REBUILD, _TENSOR if kind is Tensor else kind, self.tensor(t)[1], state)

    def sparse(self, t):
        """What rebuilds a sparse tensor: its layout, places, values, size and whether it is coalesced."""
        return _REBUILD_SPARSE, (t.layout, (t._indices(), t._values(), t.size(), t.is_coalesced()))

    def tensor(self, t):
        """What rebuilds a tensor: its storage, place, sizes, strides and whether it asks for gradients."""
        if t.level_trace is not None:
            refuse_copy(t, "save()")
        array = bottom(t)
        if type(array) not in ARRAYS:
            if is_meta(t):
                raise NotImplementedError("save() of tensors of device meta is not supported: they have no elements; "
                                          "give the module elements first, with to_empty() or load_state_dict("
                                          "..., assign=True)")
            raise RuntimeError("save() got a value of a running transform, which has no memory; save what the "
                               "transformed function returns")
        if t.grad_fn is not None:
            array = array.copy()  # PyTorch saves the memory of tensors with a history too, as tensors without one
        if t.dtype.name not in _WORDS:
            raise NotImplementedError(f"save() of tensors of {t.dtype} is not supported; cast them first")
        root = versions.root_of(array)
        if root.nbytes % array.itemsize or (address(array) - address(root)) % array.itemsize or (
                root.size and not dense(root)):
            array = root = array.copy(order="K")
        key = self.keys.get(id(root))
        if key is None:
            key = self.keys[id(root)] = len(self.roots)
            self.roots.append(root)
        place = (address(array) - address(root)) // array.itemsize if array.size else 0
        return _REBUILD, (Storage(key, root, t.dtype), place, tuple(array.shape), steps_of(array),
                          t.requires_grad, OrderedDict())

    def save_global(self, obj, name=None):
        if isinstance(obj, Global):
            self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
            self.memoize(obj)
        else:
            super().save_global(obj, name)

    def save(self, obj, save_persistent_id=True):
        if isinstance(obj, Global):
            found = self.memo.get(id(obj))
            self.write(self.get(found[0])) if found is not None else self.save_global(obj)
        elif isinstance(obj, dtypes.dtype):
            self.save(_DTYPES[obj.name])
        else:
            super().save(obj, save_persistent_id)


def dense(root):
    """Whether the elements of memory lie without gaps."""
    return root.nbytes == root.itemsize + sum((n - 1) * s for n, s in zip(root.shape, root.strides))


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """Read a file written by `save`, here or in PyTorch.

    Args:
        f: a path, or a file open for reading bytes.
        map_location: where tensors are made: a device or its name; a dict from the names that they were saved with
            to others; a function of a storage and that name, which returns a storage or None. By default they are made
            where they were. "meta" for shapes and dtypes alone.
        weights_only: True (the default) reads only tensors, pytrees and numbers; False runs whatever the file
            names, so it is for files that are trusted.
    Raises:
        UnpicklingError: the file names what `weights_only` does not allow.
        RuntimeError: a tensor would be made on a device that is not here.
    """
    if isinstance(map_location, str | Device) and Device(map_location).type not in ("cpu", "meta"):
        check(Device(map_location).type, Device(map_location).index or 0)
    empty = isinstance(map_location, str | Device) and on_meta(map_location)
    strict = weights_only is None or weights_only
    if not zipped(f):
        refuse_legacy(f)
    place, reader = "nothing of it was read yet", None
    try:
        with zipfile.ZipFile(f) as archive:
            names = archive.namelist()
            prefix = next(n for n in names if n.endswith("data.pkl"))[: -len("data.pkl")]
            place = f"{prefix}byteorder in it"
            order = archive.read(prefix + "byteorder") if prefix + "byteorder" in names else b"little"
            place = f"{prefix}data.pkl in it, or a storage that it names"
            if order == b"little":
                reader = (StrictReader if strict else Reader)(archive, prefix, None if empty else mapping(map_location))
                return reader.load()
    except (pickle.UnpicklingError, OSError):
        raise
    except _DAMAGE as error:
        if reader is not None and reader.refused is error:  # of its place, not of the file
            raise
        if not strict and not isinstance(error, zipfile.BadZipFile | StopIteration):
            raise  # of the code that the file names
        raise pickle.UnpicklingError(
            f"load() cannot read {named(f)}, which is damaged, or not a file of torch.save: {place}; "
            f"{type(error).__name__}: {error}; copy it again, or save it anew") from error
    raise NotImplementedError(f"load() got a file of byte order {order.decode(errors='replace')!r}; only little-endian "
                              "files are read")


_DAMAGE = (zipfile.BadZipFile, zlib.error, StopIteration, EOFError, LookupError, ValueError, TypeError,
           AttributeError, RuntimeError, MemoryError, AssertionError, OverflowError, struct.error)


def named(f):
    """A file in a message."""
    return repr(os.fspath(f)) if isinstance(f, str | os.PathLike) else f"a {type(f).__name__}"


def zipped(f):
    """Whether a file is a zip."""
    return zipfile.is_zipfile(f)


def refuse_legacy(f):
    """Refuse files of before PyTorch 1.6."""
    if isinstance(f, str | os.PathLike):
        with open(f, "rb"):  # a missing file is said to be missing
            pass
    raise pickle.UnpicklingError("load() got a file that is not a zip archive; files of PyTorch before 1.6 are not "
                                 "read, "
                                 "save them again with a newer one")


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
_ALLOWED = {("torch._utils", "_rebuild_sparse_tensor"): rebuilt_sparse,
            ("torch.serialization", "_get_layout"): layout_named,
            ("torch._utils", "_rebuild_tensor_v2"): rebuilt,
            ("torch._utils", "_rebuild_parameter"): rebuilt_parameter,
            ("torch._utils", "_rebuild_parameter_with_state"): rebuilt_parameter,
            ("torch._tensor", "_rebuild_from_type_v2"): rebuilt_of_class, ("torch", "Tensor"): Tensor,
            ("collections", "OrderedDict"): OrderedDict, ("torch", "Size"): Size, ("torch", "device"): Device,
            ("builtins", "set"): set, ("builtins", "complex"): complex, ("__builtin__", "set"): set,
            ("__builtin__", "complex"): complex, ("_codecs", "encode"): lambda text, code: text.encode(code),
            **{("torch", word): dtype for word, dtype in _KINDS.items()},
            **{("torch", name): dtype for name, dtype in dtypes.NAMED.items()}}


class Known:
    """What readers have in common: PyTorch's names of tensors and their parts, and storages."""

    def __init__(self, archive, prefix, mapped):
        super().__init__(io.BytesIO(archive.read(prefix + "data.pkl")))
        self.archive, self.prefix, self.mapped = archive, prefix, mapped
        self.roots, self.refused = {}, None

    def known(self, module, name):
        """What stands under a name, None where it is none of those."""
        if "bfloat16" not in dtypes.NAMED and module == "torch" and name in ("bfloat16", "BFloat16Storage"):
            raise pickle.UnpicklingError(dtypes.NO_BFLOAT16)
        return _ALLOWED.get((module, name)) or allowed(module, name)

    def persistent_load(self, pid):
        kind, dtype, key, location, count = pid
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

    def find_class(self, module, name):
        found = self.known(module, name)
        if found is not None:
            return found
        if module.partition(".")[0] == "torch":  # a module that PyTorch wrote becomes one of ours
            module = "covector.compat." + module
        return super().find_class(module, name)


class StrictReader(Known, pickle._Unpickler):
    """An unpickler that makes tensors, numbers, lists and dicts, and what the user allows; it writes to nothing else.

    It is the one in Python: that in C sets attributes of any object, of functions and classes too, and takes memory as
    a file asks for it.
    """

    dispatch = dict(pickle._Unpickler.dispatch)

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


def get_unsafe_globals_in_checkpoint(f):
    """The names in a file that `load(weights_only=True)` refuses; nothing in it is made or called."""
    with zipfile.ZipFile(f) as archive:
        text = archive.read(next(n for n in archive.namelist() if n.endswith("data.pkl")))
    names, texts = [], []
    for op, arg, _ in pickletools.genops(text):
        if op.name == "GLOBAL":
            names.append(tuple(arg.split(" ", 1)))
        elif op.name == "STACK_GLOBAL":
            names.append(tuple(texts[-2:]))
        elif isinstance(arg, str):
            texts.append(arg)
    return [".".join(pair) for pair in dict.fromkeys(names) if pair not in _ALLOWED and allowed(*pair) is None]

"""save and load: PyTorch's own file format, a zip of a pickle and the bytes of each storage."""

import io
import os
import pickle
import pickletools
import struct
import zipfile
import zlib
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import OrderedDict

from ..graph import versions
from ..graph.hooks import warn_if_has_hooks
from ..state.levels import refuse_copy
from ..state.meta import is_meta, on_meta
from ..types import dtypes
from ..types.arrays import ARRAYS, address
from ..types.devices import moved
from ..types.parameter import Parameter
from ..types.size import CPU, Size, device as Device, layout as Layout
from ..types.tensor_type import Tensor, TensorBase, bottom
from ..views.memory import steps_of
from .map_location import check, mapping, tag
from .readers import ALLOWED, KINDS, WORDS, LegacyArchive, Reader, StrictReader, own_pickle, state_of
from .safe_globals import allowed


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
_STORAGES = {word: Global("torch", word) for word in KINDS}
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
        word = WORDS[obj.dtype.name]
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
        """The reduce value of a tensor of any class, with its attributes."""
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
        """The reduce value of a sparse tensor: its layout, indices, values, size and whether it is coalesced."""
        return _REBUILD_SPARSE, (t.layout, (t._indices(), t._values(), t.size(), t.is_coalesced()))

    def tensor(self, t):
        """The reduce value of a tensor: its storage, offset, sizes, strides and whether it requires gradients."""
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
        if t.dtype.name not in WORDS:
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
    """Tell whether the elements of memory lie without gaps."""
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
    if not isinstance(f, str | os.PathLike) and not (hasattr(f, "read") and hasattr(f, "seek")):
        raise AttributeError(f"{type(f).__name__!r} object has no attribute 'seek'. You can only torch.load from a "
                             "file that is seekable. Please pre-load the data into a buffer like io.BytesIO and try to "
                             "load from it instead.")
    place, reader = "nothing of it was read yet", None
    try:
        with opened(f, strict) as archive:
            names = archive.namelist()
            found = [n for n in names if n.endswith("data.pkl")]
            if not found:
                raise zipfile.BadZipFile("there is no data.pkl in the archive")
            prefix = found[0][: -len("data.pkl")]
            place = f"{prefix}byteorder in it"
            order = archive.read(prefix + "byteorder") if prefix + "byteorder" in names else b"little"
            place = f"{prefix}data.pkl in it, or a storage that it names"
            if order == b"little":
                reader = (StrictReader if strict else Reader)(archive, prefix, None if empty else mapping(map_location))
                return reader.load()
    except OSError:
        raise
    except _DAMAGE as error:
        if reader is not None and reader.refused is error:  # of its place, not of the file
            raise
        if isinstance(error, pickle.UnpicklingError):
            if str(error).startswith(("load()", "Weights only", dtypes.NO_BFLOAT16)):
                raise
        elif not strict and not isinstance(error, zipfile.BadZipFile):
            raise  # of the code that the file names
        raise pickle.UnpicklingError(
            f"load() cannot read {named(f)}, which is damaged, or not a file of torch.save: {place}; "
            f"{type(error).__name__}: {error}; copy it again, or save it anew") from error
    raise NotImplementedError(f"load() got a file of byte order {order.decode(errors='replace')!r}; only little-endian "
                              "files are read")


_DAMAGE = (pickle.UnpicklingError, zipfile.BadZipFile, zlib.error, EOFError, LookupError, ValueError, TypeError,
           AttributeError, RuntimeError, MemoryError, AssertionError, OverflowError, struct.error)


def named(f):
    """A file in a message."""
    return repr(os.fspath(f)) if isinstance(f, str | os.PathLike) else f"a {type(f).__name__}"


def opened(f, strict):
    """The archive in a file, from its place on."""
    if isinstance(f, str | os.PathLike):
        if zipfile.is_zipfile(f):
            return bounded(zipfile.ZipFile(f), f)
        with open(f, "rb") as file:
            return LegacyArchive(file, strict)
    start = f.tell()
    zipped = zipfile.is_zipfile(f)
    f.seek(start)
    return bounded(zipfile.ZipFile(f), f) if zipped else LegacyArchive(f, strict)


def bounded(archive, f):
    """An archive whose parts are no larger together than its file: a few compressed bytes can ask for any memory."""
    here = archive.fp.tell()
    size = archive.fp.seek(0, os.SEEK_END)
    archive.fp.seek(here)
    asked = sum([info.file_size for info in archive.infolist()])
    if asked > size:
        archive.close()
        raise pickle.UnpicklingError(
            f"load() got {named(f)}, an archive of {size} bytes whose parts would take {asked}: it is compressed, or "
            "damaged; torch.save writes parts as they are, so unpack it and pack it again without compression")
    return archive


def get_unsafe_globals_in_checkpoint(f):
    """The names in a file that `load(weights_only=True)` refuses; nothing in it is made or called."""
    with bounded(zipfile.ZipFile(f), f) as archive:
        text = archive.read(next(n for n in archive.namelist() if n.endswith("data.pkl")))
    return [".".join(pair) for pair in dict.fromkeys(globals_in(text))
            if pair not in ALLOWED and allowed(*pair) is None]


def globals_in(text):
    """The (module, name) pairs that a pickle looks up, in their order: its stack is followed, of which strings alone
    are known."""
    names, stack, memo, mark = [], [], {}, pickletools.markobject
    for op, arg, _ in pickletools.genops(text):
        if op.name in ("GLOBAL", "INST"):
            pair = tuple(arg.split(" ", 1))  # names of Python 2 in protocols below 3, as in PyTorch
            names.append(NAME_MAPPING.get(pair) or (IMPORT_MAPPING.get(pair[0], pair[0]), pair[1]))
        elif op.name == "STACK_GLOBAL":
            names.append(tuple([str(word) for word in stack[-2:]]))
        if op.name == "MEMOIZE" or op.name.endswith("PUT"):
            memo[len(memo) if op.name == "MEMOIZE" else arg] = stack[-1] if stack else None
            continue
        if op.name == "DUP":
            stack += stack[-1:]
            continue
        if mark in op.stack_before or op.name == "POP" and stack[-1:] == [mark]:
            while stack and stack.pop() is not mark:
                pass
        elif op.stack_before:
            del stack[-len(op.stack_before) :]
        if mark in op.stack_before:  # what lies below the mark
            below = op.stack_before.index(mark)
            del stack[len(stack) - below :]
        known = memo.get(arg) if op.name.endswith("GET") else arg if isinstance(arg, str) else None
        stack += [mark if thing is mark else known for thing in op.stack_after]
    return names

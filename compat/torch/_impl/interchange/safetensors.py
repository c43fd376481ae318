"""Files of safetensors: a header that names tensors, and their bytes; nothing in them is ever executed."""

import json
import math
import os

import numpy as np

from ..graph import versions
from ..types import dtypes
from ..types.arrays import ARRAYS
from ..types.devices import checked, moved
from ..types.size import CPU
from ..types.tensor_type import TensorBase, bottom, wrap

_LIMIT = 100_000_000  # bytes of a header, as in the format's own reader
_CODES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "I32": "int32",
          "I16": "int16", "I8": "int8", "U64": "uint64", "U32": "uint32", "U16": "uint16", "U8": "uint8",
          "BOOL": "bool", "C64": "complex64"}
_WORDS = {name: code for code, name in _CODES.items()}


class SafetensorError(ValueError):
    """A file is not one of safetensors, or is damaged: the message says where."""


class safe_open:  # noqa: N801 (safetensors' name)
    """A file whose tensors are read one by one, in a `with` block.

    Args:
        filename: a path.
        framework: "pt" or "torch".
        device: where tensors are made.
    Raises:
        SafetensorError: the header is damaged, or does not fit the bytes behind it; said on opening.
    """

    def __init__(self, filename, framework="pt", device="cpu"):
        if framework not in ("pt", "torch", "pytorch"):
            raise SafetensorError(f"safe_open gives tensors of covector.compat.torch, but got framework={framework!r}; "
                                  "leave it out, or call numpy() of the tensors")
        self.device = checked(device)
        if self.device.type == "meta":
            raise NotImplementedError("safe_open: tensors of device meta have no elements to read; leave device out")
        self.name = os.fspath(filename)
        with open(filename, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            self.start, head = header(file.read, size, self.name)
            self.file = np.memmap(file, np.uint8, "r") if size else None
        self.places, self.notes = places(head, size - self.start, self.name)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.file = None

    def keys(self):
        """The names of the tensors, sorted."""
        return sorted(self.places)

    def offset_keys(self):
        """The names of the tensors as they lie in the file."""
        return list(self.places)

    def metadata(self):
        """The texts that were saved beside them, or None."""
        return self.notes

    def get_tensor(self, name):
        """One tensor."""
        return wrap(moved(self.array(name).copy(), self.device))

    def get_slice(self, name):
        """A view of one tensor that reads only the part that is indexed."""
        return Part(self.array(name), self.places[name][0], self.device)

    def array(self, name):
        """The bytes of a tensor as an array on the file."""
        if self.file is None:
            raise SafetensorError(f"{self.name} is closed; read its tensors inside the with block")
        if name not in self.places:
            raise SafetensorError(f"{self.name} has no tensor {name!r}; it has {', '.join(self.keys()) or 'none'}")
        return over(self.file[self.start:], self.places[name])


class Part:
    """A tensor of a file, of which parts are read: `part[:2]`."""

    def __init__(self, array, dtype, device):
        self.array, self.dtype, self.device = array, dtype, device

    def get_shape(self):
        """The shape, a list."""
        return list(self.array.shape)

    def get_dtype(self):
        """The format's name of the dtype: "F32"."""
        return _WORDS[self.dtype.name]

    def __getitem__(self, key):
        return wrap(moved(np.array(self.array[key]), self.device))


def load_file(filename, device="cpu"):
    """Read all tensors of a file.

    Args:
        filename: a path.
        device: where the tensors are made.
    Returns:
        `{name: tensor}`, sorted by name.
    Raises:
        SafetensorError: the file is damaged; the message says where.
    """
    with safe_open(filename, device=device) as file:
        return {name: file.get_tensor(name) for name in file.keys()}


def load(data):
    """Read the tensors of what `save` returned.

    >>> import covector.compat.torch as torch
    >>> from covector.compat.torch.utils import safetensors
    >>> safetensors.load(safetensors.save({"w": torch.ones(2)}))
    {'w': tensor([1., 1.])}
    """
    view, place = memoryview(data), 0

    def read(count):
        nonlocal place
        found = bytes(view[place:place + count])
        place += len(found)
        return found

    start, head = header(read, len(view), "the data")
    found, _ = places(head, len(view) - start, "the data")
    memory = np.frombuffer(view, np.uint8)[start:]
    return {name: wrap(over(memory, found[name]).copy()) for name in sorted(found)}


def over(memory, place):
    """An array over a part of some bytes."""
    dtype, shape, begin, end = place
    return np.asarray(memory[begin:end]).view(dtype.numpy).reshape(shape)


def header(read, size, name):
    """`(start of the data, header)` of a file of `size` bytes."""
    if size < 8:
        raise SafetensorError(f"{name} is no file of safetensors: it has {size} bytes, and the length of the header "
                              "alone takes 8; write it again, or load another kind of file with torch.load")
    length = int.from_bytes(read(8), "little")
    if length > _LIMIT or length > size - 8:
        raise SafetensorError(f"{name} is damaged, or no file of safetensors: its first 8 bytes say that the header "
                              f"has {length} bytes, but {size - 8} follow (at most {_LIMIT} are read); copy the file "
                              "again")
    text = read(length)
    try:
        head = json.loads(text.decode(), object_pairs_hook=distinct)
    except (ValueError, RecursionError) as error:
        raise SafetensorError(f"{name} is damaged, or no file of safetensors: its header (bytes 8 to {8 + length}) is "
                              f"not the JSON that it should be: {error}; copy the file again") from None
    if not isinstance(head, dict):
        raise SafetensorError(f"{name} is damaged: its header is a {type(head).__name__}, not names with their tensors")
    return 8 + length, head


def distinct(pairs):
    """An object of JSON; refused where a name comes twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the name {next(n for n in names if names.count(n) > 1)!r} comes twice")
    return found


def places(head, size, name):
    """`({tensor: (dtype, shape, begin, end)}, metadata)` of a header, in the order of the file.

    The tensors have to fill the `size` bytes behind the header, without gaps.
    """
    notes = head.pop("__metadata__", None)
    if notes is not None and not (isinstance(notes, dict) and all(isinstance(v, str) for v in notes.values())):
        raise SafetensorError(f"{name} is damaged: __metadata__ in its header is not a dict of texts")
    found = {key: placed(key, told, name) for key, told in head.items()}
    found = dict(sorted(found.items(), key=lambda item: item[1][2:]))
    end = 0
    for key, (_, _, begin, stop) in found.items():
        if begin != end:
            raise SafetensorError(f"{name} is damaged: tensor {key!r} begins at byte {begin} of the data, but those "
                                  f"before it end at {end}; copy the file again")
        end = stop
    if end != size:
        raise SafetensorError(f"{name} is damaged: its tensors take {end} bytes, but {size} follow the header; the "
                              f"file was {'cut off' if size < end else 'lengthened'}, copy it again")
    return found, notes


def placed(key, told, name):
    """Dtype, shape and place of one tensor."""
    if not isinstance(told, dict) or told.keys() != {"dtype", "shape", "data_offsets"}:
        raise SafetensorError(f"{name} is damaged: tensor {key!r} in its header has not dtype, shape and data_offsets, "
                              f"but {told!r:.80}")
    code, shape, offsets = told["dtype"], told["shape"], told["data_offsets"]
    if not counts(shape) or not counts(offsets) or len(offsets) != 2:
        raise SafetensorError(f"{name} is damaged: tensor {key!r} in its header has shape {shape!r:.80} and "
                              f"data_offsets {offsets!r:.80}, which are no lists of counts")
    word = _CODES.get(code) if isinstance(code, str) else None
    if word is None or word not in dtypes.NAMED:
        more = dtypes.NO_BFLOAT16 if word == "bfloat16" else f"those read are {', '.join(_CODES)}"
        raise SafetensorError(f"{name}: tensor {key!r} has the dtype {code!r}, which is not read here; {more}")
    dtype = dtypes.NAMED[word]
    begin, end = offsets
    if end - begin != math.prod(shape) * dtype.itemsize:
        raise SafetensorError(f"{name} is damaged: tensor {key!r} of shape {tuple(shape)} and {dtype} takes "
                              f"{math.prod(shape) * dtype.itemsize} bytes, but its data_offsets are {begin} and {end}")
    return dtype, tuple(shape), begin, end


def counts(v):
    """Tell whether a value is a list of integers, none negative."""
    return isinstance(v, list) and all(type(n) is int and n >= 0 for n in v)


def save_file(tensors, filename, metadata=None):
    """Write tensors to a file, which any reader of safetensors reads.

    Args:
        tensors: `{name: tensor}`; contiguous ones, of which no two share memory.
        filename: a path.
        metadata: texts to be kept beside them, `{name: text}`.
    """
    data = save(tensors, metadata)
    with open(filename, "wb") as file:
        file.write(data)


def save(tensors, metadata=None):
    """The bytes of a file, as `save_file` writes it."""
    if not isinstance(tensors, dict):
        raise ValueError(f"Expected a dict of [str, torch.Tensor] but received {type(tensors)}")
    if metadata is not None and not all(isinstance(v, str) for pair in metadata.items() for v in pair):
        raise TypeError("save() takes metadata of texts by texts; json.dumps makes a text of other values")
    arrays, roots = {}, {}
    for name, t in tensors.items():
        if not isinstance(t, TensorBase):
            raise ValueError(f"Key `{name}` is invalid, expected torch.Tensor but received {type(t)}")
        if t.dtype.name not in _WORDS:
            raise NotImplementedError(f"save(): tensor {name!r} is of {t.dtype}, which the format does not have; cast "
                                      "it first")
        array = bottom(t)
        if type(array) not in ARRAYS:
            raise RuntimeError(f"save(): tensor {name!r} is a value of a running transform, which has no memory; save "
                               "what the transformed function returns")
        if not array.flags.c_contiguous:
            raise ValueError(f"You are trying to save a non contiguous tensor: `{name}` which is not allowed. It "
                             "either means you are trying to save tensors which are reference of each other in which "
                             "case it's recommended to save only the full tensors, and reslice at load time, or simply "
                             "call `.contiguous()` on your tensor to pack it before saving.")
        if array.size:
            roots.setdefault(id(versions.root_of(array)), []).append(name)
        arrays[name] = array
    shared = [set(names) for names in roots.values() if len(names) > 1]
    if shared:
        raise RuntimeError("\n            Some tensors share memory, this will lead to duplicate memory on disk and "
                           f"potential differences when loading them again: {shared}.\n            A potential way to "
                           "correctly save your model is to save one of them alone, or clones of them")
    # The widest elements first, so that all of them are aligned.
    names = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))
    head, end = {} if metadata is None else {"__metadata__": metadata}, 0
    for name in names:
        array = arrays[name]
        head[name] = {"dtype": _WORDS[dtypes.OF_NUMPY[array.dtype].name], "shape": list(array.shape),
                      "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    text = json.dumps(head, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *[moved(arrays[name], CPU).tobytes() for name in names]])

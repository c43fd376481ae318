"""Files of torch.save before PyTorch 1.6: one pickle after the other, and then the bytes of each storage."""

import io
import pickle
import struct

from ..types import dtypes
from .readers import ALLOWED, Bounded, StrictReader

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

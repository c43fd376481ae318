"""Object files (ELF, for x86-64) put into memory: their sections, jumps to functions elsewhere, and their symbols."""

import ctypes
import mmap
import platform
import struct
import sys
from functools import cache

SUPPORTED = sys.platform == "linux" and platform.machine() == "x86_64"
_ALLOCATED, _SYMBOLS, _RELOCATIONS, _EMPTY, _UNWINDING = 2, 2, 4, 8, 0x70000001  # a flag, and types of sections
_64, _PC32, _GOT, _PLT, _PC64, _GOTX, _REX_GOTX = 1, 2, 9, 4, 24, 41, 42  # relocations of x86-64
_GOTS = (_GOT, _GOTX, _REX_GOTX)
_STUB = 16  # bytes: a jump, and the address of its target


class Unloadable(Exception):  # noqa: N818 (no error: LLVM loads such files)
    """An object file with more than what generated code needs; damaged ones are other errors."""


class Loaded:
    """An object file in memory, as long as this lives: `symbols` has the addresses of its functions."""

    __slots__ = ("symbols", "memory")

    def __init__(self, data, address_of):
        sections, names = _sections(data)
        places, size = _placed(sections)
        table = next((s for s in sections if s[1] == _SYMBOLS), None)
        entries = _entries(data, sections, table)
        absent = list(dict.fromkeys(name for name, section, _ in entries if section == 0 and name))
        stubs = {name: size + _STUB * k for k, name in enumerate(absent)}
        self.memory = memory = mmap.mmap(-1, max(size + _STUB * len(absent), 1),
                                         flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        for k, (_, kind, _, _, offset, length, *_) in enumerate(sections):
            if k in places and kind != _EMPTY:
                memory[places[k] : places[k] + length] = data[offset : offset + length]
        for name, at in stubs.items():  # jmp *6(%rip)
            memory[at : at + _STUB] = b"\xff\x25\x02\0\0\0\0\0" + struct.pack("<Q", address_of(name))
        homes = [begin + places[section] + value if section in places else begin + stubs[name] if name in stubs
                 else None for name, section, value in entries]
        for section in sections:
            if section[1] == _RELOCATIONS and section[7] in places:
                _relocate(memory, data, section, places[section[7]], begin, entries, homes, stubs)
        _executable(begin, len(memory))
        self.symbols = {name: home for (name, section, _), home in zip(entries, homes) if section in places and name}


def _sections(data):
    """The headers of the sections: (name, type, flags, address, offset, size, link, info, alignment, entry size)."""
    if data[:6] != b"\x7fELF\x02\x01" or data[18:20] != b"\x3e\0":
        raise ValueError("no object file for x86-64")
    (at,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    return [struct.unpack_from("<IIQQQQIIQQ", data, at + size * k) for k in range(count)], names


def _placed(sections):
    """`{section: offset}` of the sections that code needs, and the bytes that they take."""
    places, size = {}, 0
    for k, (_, kind, flags, _, _, length, _, _, alignment, _) in enumerate(sections):
        if flags & _ALLOCATED and kind != _UNWINDING:
            size = -(-size // max(alignment, 1)) * max(alignment, 1)
            places[k] = size
            size += length
    return places, -(-size // _STUB) * _STUB


def _entries(data, sections, table):
    """`(name, section, value)` of each symbol; section 0 is elsewhere."""
    if table is None:
        raise ValueError("an object file without symbols")
    start = sections[table[6]][4]
    found = []
    for name, _, _, section, value, _ in struct.iter_unpack("<IBBHQQ", data[table[4] : table[4] + table[5]]):
        text = data[start + name : data.index(b"\0", start + name)].decode()
        if section >= 0xFF00:  # absolute, or in no section yet
            text, section = "", 0
        found.append((text, section, value))
    return found


def _relocate(memory, data, section, place, begin, entries, homes, stubs):
    """Write the addresses that a section asks for."""
    for offset, info, addend in struct.iter_unpack("<QQq", data[section[4] : section[4] + section[5]]):
        kind, symbol = info & 0xFFFFFFFF, info >> 32
        target = homes[symbol]
        at = place + offset
        if target is None:
            raise Unloadable("a symbol without a place")
        if kind == _64:
            memory[at : at + 8] = struct.pack("<q", target + addend)
        elif kind == _PC64:
            memory[at : at + 8] = struct.pack("<q", target + addend - begin - at)
        elif kind in (_PC32, _PLT):
            memory[at : at + 4] = struct.pack("<i", target + addend - begin - at)
        elif kind in _GOTS and entries[symbol][0] in stubs:  # the address stands in the stub
            memory[at : at + 4] = struct.pack("<i", target + 8 + addend - begin - at)
        else:
            raise Unloadable(f"a relocation of type {kind}")


@cache
def _protect():
    """mprotect of the C library."""
    found = ctypes.CDLL(None, use_errno=True).mprotect
    found.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return found


def _executable(begin, size):
    """Let memory be run, and no longer written to."""
    if _protect()(begin, size, mmap.PROT_READ | mmap.PROT_EXEC):
        raise Unloadable("memory that this system lets nobody run")

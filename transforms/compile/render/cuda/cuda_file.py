"""Render the segments of a program as CUDA kernels, one for each launch."""

import re

from ...loops.nests import collapsed
from ...loops.scratch import placed
from ...loops.statements import Kernel, Load, Memory, Nest, Place, Store, Value, places, walk
from ..c.c_file import PlainWriter, kernel_of, wrapped
from ..c.printer import Printer
from ..c.text import STORED, Cuda, Module
from .block_folds import gather
from .schedule import Schedule, covers, in_order, places_written, statement_of, touched

HEAD = """\
#if defined(__CUDACC_RTC__)
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#endif
#ifndef NAN
#define NAN __builtin_bit_cast(float, 0x7fc00000)
#endif
#else
#include <math.h>
#include <stdint.h>
#include <string.h>
#endif
"""


class _Writer(PlainWriter):
    """Writes nests as they are: threads share them in their own way. Each nest may be a launch."""

    eager = True

    def nest(self, nest):
        self.statements.append(collapsed(nest))


_CALLS = 8  # of one function in one kernel: with more, copies of it are larger than the memory of instructions


class CudaFile:
    """The text of kernels that `add` writes one after the other, with numbered names."""

    def __init__(self, name):
        self.name = name
        self.module = Module(Cuda)
        self.kernels = []
        self.lines = []

    def add(self, draft, known, inputs, outputs, scratch):
        """Write a draft; returns `(launches, bytes of scratch memory)`, a launch as (kernel, grid, block, arguments).

        Args:
            inputs, outputs: the names of arrays.
            scratch: the name of scratch memory.
        """
        kernel = kernel_of(draft, known, _Writer)
        names = dict(zip((*kernel.inputs, *kernel.outputs), (*inputs, *outputs)))
        found = Launches(kernel)
        launches = []
        for part, lines in found.printed(self.module, names):
            function = f"{self.name}_{len(self.kernels) + 1}"
            used = set(re.findall(r"(?<![.\w])\w+", "\n".join(lines)))
            given = [m for m in names if names[m] in used]
            parameters = [f"{'const ' if m.role == 'input' else ''}{STORED[m.kind]} *__restrict__ {names[m]}"
                          for m in given]
            parameters += ["void *scratch"] * ("scratch" in used)
            self.kernels.append("\n".join([wrapped(f'extern "C" __global__ void {function}(', parameters, ")"), "{",
                                           *lines, "}"]))
            self.lines += lines
            launches.append((function, part.grid, part.block,
                             [*[names[m] for m in given], *[scratch] * ("scratch" in used)]))
        return launches, found.scratch

    @property
    def text(self):
        """The file."""
        return with_functions(self.module, self.kernels, self.lines)


def with_functions(module, kernels, lines):
    """The text of kernels, behind the functions that their lines call."""
    for name, text in module.functions.items():
        if "\n" in text and max(len(re.findall(rf"\b{name}\(", kernel)) for kernel in kernels) > _CALLS:
            module.functions[name] = text.replace(Cuda.inline, Cuda.aside, 1)
    return "\n".join([HEAD, *[part + "\n" for part in module.needed_by(lines)], "\n\n".join(kernels), ""])


# Split a kernel into launches: values shared between them lie in scratch memory.


class Launches:
    """The parts of a kernel, with the memory that these hand over, of `scratch` bytes.

    Each thread has a copy of what it computes alike. The first thread writes it out at the end of a part, each time to
    a place that nothing reads before the next one: threads of that part may begin later.
    """

    def __init__(self, kernel):
        found = Schedule(kernel.statements)
        self.own, self.parts = found.own, found.parts
        for part in self.parts:
            part.copies = []  # (memory that it writes, where it was before or None)
            part.seen = []  # (memory that it reads, where that is)
            part.ends = []  # (memory or value, where it goes)
        self.memories()
        self.values()
        self.scratch = placed(self.spans())

    def memories(self):
        """Addresses of each version of a memory of which threads have copies."""
        users = {}  # memory -> [(part, whether it writes, whether it reads what was there)]
        for part in self.parts:
            reads, writes = touched_by(part)
            for memory in dict.fromkeys([m for m in (*reads, *writes) if m in self.own]):
                users.setdefault(memory, []).append((part, memory in writes, _reads_before(part, memory)))
        # Each part that writes such a memory hands over a new version at a new place: with one place a thread of the
        # next part could overwrite what a late thread of this one has still to copy.
        for memory, found in users.items():
            before = None
            last = max([at for at, (_, written, _) in enumerate(found) if written], default=-1)
            for at, (part, written, needed) in enumerate(found):
                if not written:  # read where it lies, without a copy for each thread
                    (part.copies if before is None else part.seen).append((memory, before))
                    continue
                part.copies.append((memory, before if needed else None))
                before = None
                # The last version of an output goes to the output itself; others only where the next part reads them.
                if at == last and memory.role == "output":
                    before = memory
                elif at < len(found) - 1 and found[at + 1][2]:
                    before = Memory(memory.kind, memory.size)
                if before is not None:
                    part.ends.append((memory, before))

    def values(self):
        """Hand values over."""
        made = {v: part for part in self.parts for v in touched_by(part)[1] if type(v) is Value}
        held = {}
        for part in self.parts:
            reads, _ = touched_by(part)
            for v in dict.fromkeys([v for v in reads if type(v) is Value and made.get(v, part) is not part]):
                if v not in held:  # a value is in registers, which end with the launch
                    held[v] = Place(Memory(v.kind, 1), ())
                    made[v].ends.append((v, held[v].memory))
                part.items.insert(0, Load([v], held[v]))

    def spans(self):
        """Scratch memory, with the first and the last part that uses it."""
        # Launches run one after the other, so memory whose spans of launches do not meet may share bytes.
        found = {}
        for at, part in enumerate(self.parts):
            touching = [p.memory for s in walk(map(statement_of, part.items)) for p in places(s)]
            used = [m for m in touching if m not in self.own]
            used += [m for item in part.items for m in getattr(item, "partial", None) or ()]
            used += [gather.partial for gather in part.gathers]
            used += [m for _, m in (*part.copies, *part.seen, *part.ends) if m is not None]
            for memory in used:
                if memory.role in ("cell", "scratch"):
                    memory.role = "scratch"  # registers of one launch are not those of the next
                    found[memory] = found.get(memory, (at,))[0], at
        return found

    def printed(self, module, names):
        """`(part, lines)` of each part."""
        for part in self.parts:
            statements = [statement_of(item) for item in part.items]
            kernel = Kernel((), (), ())
            kernel.scratch = self.scratch
            printer = Printer(kernel, module, names, on_stack=0, index=index_of(statements))
            yield part, self.lines(part, printer, names)

    def lines(self, part, printer, names):
        """The lines of a part."""
        text = printer.text
        for memory, before in part.seen:
            printer.memories[memory] = printer.base(before)[0]
        for memory, before in part.copies:
            outside = None if before is None else printer.base(before)[0]
            name = text.new("m")
            printer.declared[name] = f"{STORED[memory.kind]} {name}[{memory.size}] = {{0}};"
            if outside is not None:
                copy(printer, name, outside, memory.size)
            printer.memories[memory] = name
        gather(printer, part.gathers, part.block)
        # The block is as wide as its gathering needs, which all threads take part in; then all but one are done.
        if part.kind == "alone" and part.block > 1:
            text.open("if (threadIdx.x != 0)")
            text.emit("return;")
            text.close()
        for k, item in enumerate(part.items):
            if item is statement_of(item):
                printer.block([item])
                continue
            item.write(printer, part)
            if part.kind == "block" and k < len(part.items) - 1:
                text.emit("__syncthreads();")
        self.hand_over(part, printer, names)
        return printer.lines

    def hand_over(self, part, printer, names):
        """Write what the next parts read."""
        text = printer.text
        if not part.ends:
            return
        # Copies of all threads are equal: the first one writes its own out.
        alone = part.grid == 1 and (part.block == 1 or part.kind == "alone")
        if not alone:
            text.open("if (blockIdx.x == 0 && threadIdx.x == 0)" if part.grid > 1 else "if (threadIdx.x == 0)")
        for what, where in part.ends:
            target = names[where] if where in names else printer.base(where)[0]
            if type(what) is Value:
                text.emit(f"{target}[0] = {printer.value(what)};")
                continue
            copy(printer, target, printer.memories[what], what.size)
        if not alone:
            text.close()


def copy(printer, target, source, size):
    """Write a copy of memory."""
    i = "0" if size == 1 else printer.loop(0, size)
    printer.text.emit(f"{target}[{i}] = {source}[{i}];")
    if size > 1:
        printer.text.close()


def touched_by(part):
    """Reads and writes of a part, as lists."""
    reads, writes = in_order(map(statement_of, part.items))
    gathers = [*part.gathers, *(part.left if part.kind == "block" else ())]
    return reads, writes + [gather.out for gather in gathers]


def _reads_before(part, memory):
    """Tell whether a part reads memory before it writes all of it."""
    for s in map(statement_of, part.items):
        reads, writes = touched(s)
        if memory in reads or memory in writes:
            # The first statement that touches it decides: later ones read what this one wrote.
            whole = type(s) is Store or type(s) is Nest and not s.folds and len(s.stores) == 1
            return memory in reads or not whole or not covers(places_written(s)[0])
    return False


def index_of(statements):
    """The type of indices into the memory that statements touch."""
    return "int32_t" if all(p.memory.size < 2**30 for s in walk(statements) for p in places(s)) else "int64_t"

"""Render the segments of a program as CUDA kernels, one for each launch."""

import re

from ...loops.nests import collapsed
from ..c.c_file import PlainWriter, kernel_of, wrapped
from ..c.languages import Cuda
from ..c.text import STORED, Module
from .launches import Launches

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



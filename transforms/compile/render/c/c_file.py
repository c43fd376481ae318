"""The C file of a function and its header."""

import re

from ....graph.equations import Draft, Var
from ...loops.statements import KINDS, Bound, Value, places, walk
from ...lower.lowerings import is_native
from ...lower.writer import Writer
from .names import comment
from .printer import Printer
from .text import STORED, C, Module

_WORD = re.compile(r"\w+")
_GUARDS = """\
/* Sums and products here mean one rounding each. */
#if defined(__FAST_MATH__)
#error "compile this file without -ffast-math: it counts on infinities, NaN and the order of additions"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize ("fp-contract=off")
#elif defined(_MSC_VER)
#pragma fp_contract (off)
#endif
#ifdef __cplusplus
#define restrict __restrict
#endif
"""


class _NoCheck:
    """Nobody looks for infinities and NaN in outputs."""

    memory = None

    def __init__(self, writer, outputs):
        self.watch = self.convert = self.split = self.end = lambda *given: None


class PlainWriter(Writer):
    """Writes kernels that nobody asks for alarms, for one thread."""

    nonfinite_check = _NoCheck
    threads = False
    cached = False
    library = False


class _BlasWriter(PlainWriter):
    library = True


def kernel_of(draft, known, writer=PlainWriter):
    """The kernel of a draft whose equations are all native; `known` is what `is_native` noted of each of them."""
    kernel = writer(draft, known).kernel
    kernel.outputs.pop()  # the place of the alarm
    return kernel


def is_bounded(eq, known):
    """Tell whether an equation reads or writes at places that values decide: nobody could be told of one outside."""
    if eq.prim.elementwise or eq.bodies() or not is_native(eq, known):
        return False
    given = [v for v in dict.fromkeys(eq.inputs) if type(v) is Var]
    return any(type(s) is Bound or any(type(c) is Value for p in places(s) for c, _ in p.moving)
               for s in walk(kernel_of(Draft(given, [eq], eq.outputs), known).statements))


def c_file(staged, name, blas, what):
    """`(text, header)`; `what` says which function of Python it is."""
    kernel = kernel_of(staged.draft, staged.known, _BlasWriter if blas else PlainWriter)
    module = Module(C)
    names = {m: v.name for m, v in zip((*kernel.inputs, *kernel.outputs), (*staged.inputs, *staged.outputs))}
    printer = Printer(kernel, module, names)
    lines = printer.lines
    given = [f"const {STORED[m.kind]} *restrict {v.name}" for m, v in zip(kernel.inputs, staged.inputs)]
    given += [f"{STORED[m.kind]} *restrict {v.name}" for m, v in zip(kernel.outputs, staged.outputs)]
    given.append("void *restrict scratch")
    unused = unused_among([*[v.name for v in staged.inputs], "scratch"], lines)
    head = wrapped(f"void {name}(", given, ")")
    cblas = ["#include <cblas.h>"] if any("cblas_" in line for line in lines) else []
    text = "\n".join([
        comment([f"{what}; {name}.h says what it takes."]), f'#include "{name}.h"', "#include <math.h>",
        "#include <string.h>", *cblas, "", _GUARDS,
        *[part + "\n" for part in module.needed_by(lines)], head, "{", *unused, *lines, "}", ""])
    return text, _header(staged, name, what, printer.scratch)


def unused_among(names, lines):
    """Lines that tell a compiler of the parameters which no line mentions."""
    used = {word for line in lines for word in _WORD.findall(line)}
    return [f"    (void){name};" for name in names if name not in used]


def wrapped(head, parts, end):
    """A list of parameters in lines of up to 110 characters."""
    if not parts:
        return head + end
    lines, line = [], head
    for k, part in enumerate(parts):
        part += end if k == len(parts) - 1 else ","
        if len(line) + len(part) > 110 and line.strip():
            lines.append(line.rstrip())
            line = "    "
        line += part + " "
    return "\n".join([*lines, line.rstrip()])


def _header(staged, name, what, scratch):
    size = f"{name.upper()}_SCRATCH"
    guard = f"COVECTOR_{name}_H"
    values = [*[(v, "const ") for v in staged.inputs], *[(v, "") for v in staged.outputs]]
    width = max(len(v.name) for v, _ in values)
    head = comment([
        what, "", *[f"   {v.name:{width}}  {layout_of(v)}  {'argument' if const else 'result'} {v.path}"
                    for v, const in values], "",
        "   Arrays lie in order (C order, the last index moves fastest), without gaps; a number is an array of one "
        "element, and",
        f"   a bool is a byte, 0 or 1. `scratch` is "
        f"{f'{size} bytes, aligned as malloc does it' if scratch else 'not used, and may be NULL'}. Results and "
        "`scratch` must not overlap",
        "   anything else. The function keeps nothing, allocates nothing, and may run in several threads at a time.",
        ""])
    given = [f"{const}{STORED[KINDS[v.aval.dtype]]} *{v.name}" for v, const in values] + ["void *scratch"]
    return f"""\
{head}
#ifndef {guard}
#define {guard}

#include <stdint.h>

#define {size} {scratch}

#ifdef __cplusplus
extern "C" {{
#endif

{wrapped(f"void {name}(", given, ");")}

#ifdef __cplusplus
}}
#endif

#endif
"""


def layout_of(v):
    """`double[3][4]` of an argument or result."""
    return STORED[KINDS[v.aval.dtype]] + "".join([f"[{n}]" for n in v.aval.shape] or ["[1]"])

"""CUDA text of functions: launch plans of whole ones, and device functions for kernels that are written around them."""

from typing import NamedTuple

from ....core.errors import RuleError
from ....core.types import Any, Callable
from ...graph.equations import Literal
from ..lower.lowerings import is_native
from ..lower.products import is_small
from ..program import described
from ..render.c.c_file import kernel_of, unused_among, wrapped
from ..render.c.names import function_name
from ..render.c.printer import Printer
from ..render.c.text import STORED, Cuda, Module
from ..render.cuda.cuda_file import HEAD, CudaFile
from .partition import with_segments
from .staged import culprit, refuse, staged


class Launch(NamedTuple):
    """A launch of a kernel: its name, blocks, threads of a block, and the names of the arrays that it is given."""

    kernel: str
    grid: int
    block: int
    arguments: tuple[str, ...]


class Call(NamedTuple):
    """An operation that has no CUDA form here, by the name in `covector.extend.REGISTRY`.

    `REGISTRY[operation].rebind((*operands, *params))` runs it; it takes the names of arrays, or constants.
    """

    operation: str
    params: tuple[Any, ...]
    arguments: tuple[Any, ...]
    results: tuple[str, ...]


class ExportedCuda(NamedTuple):
    """The result of `export_cuda`: the text of the kernels, and what a program does with them.

    `arrays` are (shape, dtype) by name: arguments, results, and what lies between; `steps` launches and calls, in
    order; `inputs` and `outputs` the names of arguments and results, in the order of their leaves. A result may be an
    argument, or a number or array that is known.
    """

    name: str
    source: str
    arrays: dict[str, tuple[tuple[int, ...], str]]
    steps: tuple[Launch | Call, ...]
    inputs: tuple[str, ...]
    outputs: tuple[Any, ...]


def planned(fun, args, name):
    """The `ExportedCuda` of a function for arguments."""
    found = staged(fun, args, "export_cuda", without_library)
    return Plan(found, function_name(fun, name, "export_cuda")).exported()


def without_library(eq):
    """Tell whether a product of matrices is written, and is not left to a library."""
    return is_small(*[v.aval for v in eq.inputs])


class Plan:
    """The steps of a staged function."""

    def __init__(self, found, name):
        self.found = found
        self.name = name
        self.file = CudaFile(name)
        self.steps: list[Launch | Call] = []
        self.arrays = {v.name: (v.aval.shape, v.aval.dtype.name) for v in (*found.inputs, *found.outputs)}
        self.names = {v: named.name for v, named in zip(found.draft.inputs, found.inputs)}

    def exported(self):
        """The whole of it."""
        draft, known = self.found.draft, self.found.known
        outputs: list[Any] = [named.name for named in self.found.outputs]
        if self.is_whole(draft, known):
            self.launches(draft, known, list(self.names.values()), outputs)
        else:
            outputs = self.mixed(draft, known, outputs)
        return ExportedCuda(self.name, self.file.text, self.arrays, tuple(self.steps),
                            tuple(named.name for named in self.found.inputs), tuple(outputs))

    def is_whole(self, draft, known):
        """Tell whether kernels are all that there is."""
        return all(is_native(eq, known) for eq in draft.equations)

    def mixed(self, draft, known, outputs):
        """Segments and calls in turns; returns where the results are."""
        draft, segments, _ = with_segments(draft, known)
        results = dict(zip(reversed(draft.outputs), reversed(outputs)))  # of equal outputs the first one's name
        for eq in draft.equations:
            for v in eq.outputs:
                self.names[v] = results[v] if v in results else self.new(v.aval, "t")
            if eq in segments:
                self.launches(eq, known, [self.names[v] for v in eq.inputs], [self.names[v] for v in eq.outputs])
                continue
            self.call(eq, known)
        return [self.given(v) for v in draft.outputs]

    def call(self, eq, known):
        """An operation of a library."""
        if eq.bodies():
            inside = culprit(eq, known)
            raise RuleError(f"export_cuda: a loop or branch holds `{inside.prim.name}`, which has no CUDA form; "
                            f"move it out of there{described(inside)[1]}")
        self.add_call(eq)

    def add_call(self, eq):
        """The step of an operation."""
        self.steps.append(Call(eq.prim.name, eq.params, tuple([self.given(v) for v in eq.inputs]),
                               tuple([self.names[v] for v in eq.outputs])))

    def launches(self, draft, known, inputs, outputs):
        """The launches of equations that all have a CUDA form."""
        scratch = self.unused("scratch", len(self.steps))
        found, size = self.file.add(draft, known, inputs, outputs, scratch)
        self.steps += [Launch(kernel, blocks, threads, tuple(given)) for kernel, blocks, threads, given in found]
        if size:  # a plan names all memory: nothing is allocated in a kernel
            self.arrays[scratch] = (size,), "uint8"

    def given(self, v):
        """The name of a value, or a constant."""
        return v.value if type(v) is Literal else self.names[v]

    def new(self, aval, letter):
        """The name of another array."""
        name = self.unused(letter, len(self.arrays))
        self.arrays[name] = aval.shape, aval.dtype.name
        return name

    def unused(self, letter, k):
        """A name with a number, which no argument or result has."""
        while f"{letter}{k}" in self.arrays:
            k += 1
        return f"{letter}{k}"


def cuda_functions(functions: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]) -> str:
    """The text of functions that take a pointer for each argument, and then for each result.

    It begins with the types that it needs. Results may not lie where arguments do.

    Args:
        functions: name -> (a function that returns arrays, `ShapeDtype` of its arguments, usually of one element).
    Raises:
        as `export_cuda`; RuleError for what has no CUDA form.
    """
    module = Module(Cuda)
    texts, used = [], []
    for name, (fun, args) in functions.items():
        found = staged(fun, args, "cuda_functions")
        refuse(found, "cuda_functions", "CUDA")
        kernel = kernel_of(found.draft, found.known)
        pairs = list(zip((*kernel.inputs, *kernel.outputs), (*found.inputs, *found.outputs)))
        lines = Printer(kernel, module, {memory: v.name for memory, v in pairs}).lines
        inputs = len(kernel.inputs)
        parameters = [f"{'const ' if k < inputs else ''}{STORED[memory.kind]} *{v.name}"
                      for k, (memory, v) in enumerate(pairs)]
        used += lines
        texts += [wrapped(f"{Cuda.inline} void {name}(", parameters, ")"), "{",
                  *unused_among([v.name for v in found.inputs], lines), *lines, "}", ""]
    return "\n".join([HEAD, *[part + "\n" for part in module.needed_by(used)], *texts])

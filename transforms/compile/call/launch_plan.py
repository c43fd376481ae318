"""The launch plan of a function on a GPU: kernel launches, and calls in between."""

from ....core.errors import RuleError
from ....core.types import Any
from ...graph.equations import Literal
from ..lower.lowerings import is_native
from ..lower.products import is_small
from ..program import described
from ..render.c.names import function_name
from ..render.cuda.cuda_file import CudaFile
from .partition import with_segments
from .staged import culprit, staged
from .steps import Call, ExportedCuda, Launch


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

"""`export_cuda`: a function as the text of CUDA kernels, and what launches them."""

from typing import NamedTuple

from ...core.errors import RuleError, at_user_line
from ...core.types import Any, Callable, PyTree
from ..graph.equations import Literal
from ..native.products import is_small
from ..native.segments import with_segments
from ..native.structure import is_native
from .cuda_file import CudaFile
from .staged import culprit, function_name, staged


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
    """What `export_cuda` returns: the text of the kernels, and what a program does with them.

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


def export_cuda(fun: Callable[..., PyTree], *args: PyTree, name: str | None = None) -> ExportedCuda:
    """Write a function as CUDA kernels, for arguments of given shapes and dtypes. Nothing is run.

    Args:
        fun: a function of pytrees of arrays and numbers that returns such a pytree; a derivative, for example. It is
            staged as by `jit`.
        args: arrays, numbers or `ShapeDtype`, or pytrees of these; float64, float32, int64, int32 and bool.
        name: what the names of the kernels begin with; the name of `fun`, or "f", by default.
    Returns:
        an `ExportedCuda`: `source`, the text, for NVRTC (`cupy.RawModule(code=source)`) or nvcc; `steps`, the launches
        and the calls of a library between them, in order; `arrays`, the shape and dtype of what these name.
    Raises:
        RuleError: a loop or a branch that holds an operation that has no CUDA form.
        ConversionError: `fun` asks for the value of an argument, as `if x > 0` does.
        DtypeError: an argument or a result of another dtype.
        ShapeError: an argument or a result without elements.
        ValueError: a name that is none in C.

    Elementwise operations have a thread an element; sums are added up in parts, without atomics, so that they are the
    same each time; a loop over the states of many examples has a thread an example, any other loop one thread.
    Products of larger matrices and what has no CUDA form are calls. Arrays lie in C order.

    >>> import numpy as np, covector
    >>> found = covector.export_cuda(lambda x: 2.0 * x + 1.0, np.ones(1000), name="line")
    >>> found.steps
    (Launch(kernel='line_1', grid=4, block=256, arguments=('x', 'out')),)
    >>> print(found.source[found.source.index("extern"):])
    extern "C" __global__ void line_1(const double *__restrict__ x, double *__restrict__ out)
    {
        for (int32_t i1 = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x); i1 < 1000; ...) {
            const double v2 = x[i1];
            const double v3 = __dmul_rn(2.0, v2);
            const double v4 = v3 + 1.0;
            out[i1] = v4;
        }
    }
    """
    found = staged(fun, args, "export_cuda", lambda eq: is_small(*[v.aval for v in eq.inputs]))
    name = function_name(fun, name, "export_cuda")
    return _Plan(found, name).exported()


class _Plan:
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
        if all(is_native(eq, known) for eq in draft.equations):
            self.launches(draft, known, list(self.names.values()), outputs)
        else:
            outputs = self.mixed(draft, known, outputs)
        return ExportedCuda(self.name, self.file.text, self.arrays, tuple(self.steps),
                            tuple(named.name for named in self.found.inputs), tuple(outputs))

    def mixed(self, draft, known, outputs):
        """Segments and calls in turns; returns where the results are."""
        draft, segments, _ = with_segments(draft, known)
        results = dict(zip(reversed(draft.outputs), reversed(outputs)))
        for eq in draft.equations:
            for v in eq.outputs:
                self.names[v] = results[v] if v in results else self.new(v.aval, "t")
            if eq in segments:
                self.launches(eq, known, [self.names[v] for v in eq.inputs], [self.names[v] for v in eq.outputs])
                continue
            if eq.bodies():
                inside = culprit(eq, known)
                where = f" (at {inside.line})" if inside.line else at_user_line()
                raise RuleError(f"export_cuda: a loop or branch holds `{inside.prim.name}`, which has no CUDA form; "
                                f"move it out of there{where}")
            self.steps.append(Call(eq.prim.name, eq.params, tuple([self.given(v) for v in eq.inputs]),
                                   tuple([self.names[v] for v in eq.outputs])))
        return [self.given(v) for v in draft.outputs]

    def launches(self, draft, known, inputs, outputs):
        """The launches of equations that all have a CUDA form."""
        scratch = f"scratch{len(self.steps)}"
        found, size = self.file.add(draft, known, inputs, outputs, scratch)
        self.steps += [Launch(kernel, blocks, threads, tuple(given)) for kernel, blocks, threads, given in found]
        if size:
            self.arrays[scratch] = (size,), "uint8"

    def given(self, v):
        """The name of a value, or a constant."""
        return v.value if type(v) is Literal else self.names[v]

    def new(self, aval, letter):
        """The name of another array."""
        name = f"{letter}{len(self.arrays)}"
        self.arrays[name] = aval.shape, aval.dtype.name
        return name

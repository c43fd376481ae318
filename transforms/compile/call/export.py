"""`export_c` and `export_cuda`: export a function as C source, or as CUDA kernels and a launch plan."""

from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

from ....core.lazy import LazyModule
from ....core.types import Any, Callable, PyTree

# `export_c`: export a function as C source.

_FILE: Any = LazyModule("covector.transforms.compile.render.c.c_file")
_NAMES: Any = LazyModule("covector.transforms.compile.render.c.names")
_STAGED: Any = LazyModule("covector.transforms.compile.call.staged")
_FILES: Any = LazyModule("pathlib")

if TYPE_CHECKING:
    from pathlib import Path

    from .launch_plan import ExportedCuda


class ExportedC(NamedTuple):
    """The result of `export_c`: the name of the function, the texts of the `.c` file and the header, their paths."""

    name: str
    source: str
    header: str
    paths: "tuple[Path, ...]" = ()


def export_c(
    fun: Callable[..., PyTree], *args: PyTree, name: str | None = None, folder: str | PathLike[str] | None = ".",
    blas: bool = False,
) -> ExportedC:
    """Write a function as C, for arguments of given shapes and dtypes: `name.c` and `name.h`.

    Args:
        fun: a function of pytrees of arrays and numbers that returns such a pytree; a derivative, for example. It is
            staged as by `jit`.
        args: arrays, numbers or `ShapeDtype`, or pytrees of these; float64, float32, int64, int32 and bool.
        name: of the C function and the two files; that of `fun`, or "f", by default.
        folder: where the files go. None writes none.
        blas: call CBLAS for products of large matrices, which are loops without it.
    Returns:
        an `ExportedC`: `name`, `source` and `header`, the texts, and `paths` of the files.
    Raises:
        RuleError: an operation that C code is not written for: indices that depend on values, sorts, linear
            algebra, complex numbers, callbacks.
        ConversionError: `fun` asks for the value of an argument, as `if x > 0` does.
        DtypeError: an argument or a result of another dtype.
        ShapeError: an argument or a result without elements.
        ValueError: a name that is none in C, or that C has for something, as `exp` or `free`.

    The C function takes a pointer for each array of the arguments, then for each of the results, then `scratch`: memory
    for temporaries, of as many bytes as the header says. The header lists what each pointer leads to.
    The page "Exporting C and CUDA" has an example.

    >>> import numpy as np, covector
    >>> out = covector.export_c(lambda x: 2.0 * x + 1.0, np.ones(100), name="line", folder=None)
    >>> print(out.source[out.source.index("void"):])
    void line(const double *restrict x, double *restrict out, void *restrict scratch)
    {
        (void)scratch;
        for (int32_t i1 = 0; i1 < 100; i1++) {
            const double v2 = x[i1];
            const double v3 = 2.0 * v2;
            const double v4 = v3 + 1.0;
            out[i1] = v4;
        }
    }
    """
    found = _STAGED.staged(fun, args, "export_c")
    name = _NAMES.function_name(fun, name, "export_c")
    _STAGED.refuse(found, "export_c", "C")  # before a file is written
    what = f"Written by covector from `{getattr(fun, '__name__', type(fun).__name__)}`"
    source, header = _FILE.c_file(found, name, blas, what)
    paths = []
    if folder is not None:
        for end, text in ((".c", source), (".h", header)):
            paths.append(_FILES.Path(folder) / (name + end))
            paths[-1].write_text(text, encoding="utf-8")
    return ExportedC(name, source, header, tuple(paths))


# `export_cuda`: export a function as CUDA kernels and a launch plan.

_PLAN: Any = LazyModule("covector.transforms.compile.call.launch_plan")


def export_cuda(fun: Callable[..., PyTree], *args: PyTree, name: str | None = None) -> "ExportedCuda":
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

    Elementwise operations have a thread an element; sums are added up in blocks, and these by the next launch, without
    atomics, so that they are the same each time; every thread computes what is small; a loop over the states of many
    examples has a thread an example, any other loop one thread.
    Products of larger matrices and what has no CUDA form are calls. Arrays lie in C order.

    >>> import numpy as np, covector
    >>> found = covector.export_cuda(lambda x: 2.0 * x + 1.0, np.ones(1000), name="line")
    >>> found.steps
    (Launch(kernel='line_1', grid=1, block=1024, arguments=('x', 'out')),)
    >>> print(found.source[found.source.index("extern"):])
    extern "C" __global__ void line_1(const double *__restrict__ x, double *__restrict__ out)
    {
        const int32_t v1 = (int32_t)blockIdx.x * 1024 + (int32_t)threadIdx.x;
        if (v1 < 1000) {
            const double v2 = x[v1];
            const double v3 = __dmul_rn(2.0, v2);
            const double v4 = v3 + 1.0;
            out[v1] = v4;
        }
    }
    """
    return _PLAN.planned(fun, args, name)

"""`export_cuda`: export a function as CUDA kernels and a launch plan."""

from ....core.lazy import LazyModule
from ....core.types import Any, Callable, PyTree
from .steps import ExportedCuda

_PLAN: Any = LazyModule("covector.transforms.compile.call.launch_plan")


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

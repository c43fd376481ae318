"""The norm of all elements of tensors of a device, in two launches."""

from functools import lru_cache

import numpy as np

from ..... import _kernels
from ....._primitives import ShapeDtype
from ..types.arrays import cupy
from ..types.tensor_type import wrap
from .kernel import BLOCK, EACH, KINDS, THREADS, ListKernel
from .plain import arrays_of
from .updates import launches_of

FOLD = """\
    __shared__ {kind} held[{threads}];
    {kind} total = 0, x, y;
    for (int each = 0; each < {each}; each++, i += {threads})
        if (i < n) {{
            measure(x0 + i, &x);
            combine(&total, &x, &y);
            total = y;
        }}
{tree}
    if (threadIdx.x == 0)
        (({kind} *)s0)[lists.before + (int)blockIdx.x] = held[0];
}}
"""
END = """
extern "C" __global__ void {name}_end(const {kind} *parts, int64_t n, {kind} *out)
{{
    __shared__ {kind} held[{threads}];
    {kind} total = 0, x, y;
    for (int64_t i = threadIdx.x; i < n; i += {threads}) {{
        x = parts[i];
        combine(&total, &x, &y);
        total = y;
    }}
{tree}
    if (threadIdx.x == 0)
        end(held, out);
}}
"""
TREE = """\
    held[threadIdx.x] = total;
    __syncthreads();
    for (int half = {threads} / 2; half > 0; half /= 2) {{
        if ((int)threadIdx.x < half) {{
            x = held[threadIdx.x];
            y = held[threadIdx.x + half];
            combine(&x, &y, &total);
            held[threadIdx.x] = total;
        }}
        __syncthreads();
    }}"""


class NormKernel(ListKernel):
    """A kernel that adds up the powers of elements in blocks, and one for the root of all of them."""

    def __init__(self, order, dtype):
        element, largest = ShapeDtype((1,), dtype), order == np.inf
        measure = np.abs if largest or order == 1 else np.square if order == 2 else lambda x: np.abs(x) ** order
        end = np.positive if largest or order == 1 else np.sqrt if order == 2 else lambda x: x ** (1 / order)
        kind, name = KINDS[dtype.char], "covector_norm"
        tree = TREE.format(threads=THREADS)
        facts = {"kind": kind, "threads": THREADS, "each": EACH, "name": name, "tree": tree}
        self.text = _kernels.cuda_text.cuda_functions({
            "measure": (measure, (element,)), "combine": (np.maximum if largest else np.add, (element, element)),
            "end": (end, (element,))})
        self.text += self.head(name, 0, 1, 1, dtype) + FOLD.format(**facts) + END.format(**facts)
        module = cupy().RawModule(code=self.text)
        self.function, self.end = module.get_function(name), module.get_function(name + "_end")


@lru_cache(maxsize=16)
def kernel_of(order, dtype):
    """The kernel of a norm."""
    return NormKernel(order, dtype)


def total_norm(tensors, order):
    """The norm of all elements, a positive order of it, as a tensor; None where no kernel computes it."""
    arrays = arrays_of(tensors)
    if arrays is None or not order > 0 or not all(x.size for x in arrays):
        return None
    xp, dtype = cupy(), arrays[0].dtype
    kernel = kernel_of(order, dtype)
    launches = launches_of(kernel, tuple([x.size for x in arrays])).copy()
    launches.place(0, arrays)
    parts, out = xp.empty(launches.blocks, dtype), xp.empty((), dtype)
    launches.run(shared=(parts,))
    kernel.end((1,), BLOCK, (parts, launches.blocks, out))
    return wrap(out)

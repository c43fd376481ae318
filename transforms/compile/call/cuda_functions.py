"""Elementwise operations as CUDA device functions, for kernels written around them."""

from ....core.types import Any, Callable
from ..render.c.c_file import kernel_of, unused_among, wrapped
from ..render.c.printer import Printer
from ..render.c.text import STORED, Cuda, Module
from ..render.cuda.cuda_file import HEAD
from .staged import refuse, staged


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

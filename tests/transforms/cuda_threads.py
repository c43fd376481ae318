"""CUDA text on the processor: a C++ compiler takes it, and its threads run one by one."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

COMPILER = shutil.which("g++") or shutil.which("clang++")
MISSING = "no C++ compiler was found: install g++"
# What CUDA's compiler knows, as C++ that runs one thread at a time.
SHIM = """\
#include <math.h>
#include <stdint.h>
#include <string.h>
#define __global__
#define __device__
#define __forceinline__ inline
struct Numbers { unsigned x; };
static Numbers blockIdx, threadIdx, blockDim, gridDim;
static inline double __dmul_rn(double x, double y) { return x * y; }
static inline float __fmul_rn(float x, float y) { return x * y; }
"""
RUNNER = """
extern "C" void run_{kernel}(unsigned grid, unsigned block, int turned, void **given)
{{
    gridDim.x = grid;
    blockDim.x = block;
    for (unsigned k = 0; k < grid * block; k++) {{
        const unsigned thread = turned ? grid * block - 1 - k : k;
        blockIdx.x = thread / block;
        threadIdx.x = thread % block;
        {kernel}({arguments});
    }}
}}
"""


def kernels(source):
    """`{kernel: [(type, name), …]}` of its parameters."""
    found = {}
    for name, given in re.findall(r"__global__ void (\w+)\(([^)]*)\)", source):
        parts = [part.strip().replace(" __restrict__", "") for part in given.split(",") if part.strip()]
        found[name] = [(part[: part.rindex("*") + 1], part.split()[-1].lstrip("*")) for part in parts]
    return found


def library(source, folder, name):
    """A library with a function `run_KERNEL(grid, block, turned, pointers)` for each kernel of a text."""
    text = SHIM + source
    for kernel, given in kernels(source).items():
        arguments = ", ".join([f"({kind})given[{k}]" for k, (kind, _) in enumerate(given)])
        text += RUNNER.format(kernel=kernel, arguments=arguments)
    path = Path(folder) / f"{name}.cpp"
    path.write_text(text)
    flags = ["-std=c++11", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
    done = subprocess.run([COMPILER, *flags, "-shared", "-fPIC", "-o", str(path.with_suffix(".so")), str(path), "-lm"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(path.with_suffix(".so")))

"""CUDA text on the processor: a C++ compiler takes it; the threads of a block run in turns, from barrier to barrier."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path
from threading import Lock

COMPILER = shutil.which("g++") or shutil.which("clang++")
BUILT = {}  # libraries by their text: the same kernel is asked for by many tests, and g++ takes 0.1 s for it
TURN = Lock()
MISSING = "no C++ compiler was found: install g++"
# What CUDA's compiler knows, as C++. Blocks run one after the other, with other contents of shared memory each time.
SHIM = """\
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#define __global__
#define __device__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __shared__ static __attribute__((section("of_a_block")))
#define __syncthreads() cv_meet(__LINE__)
struct Numbers { unsigned x; };
static Numbers blockIdx, threadIdx, blockDim, gridDim;
static inline double __dmul_rn(double x, double y) { return x * y; }
static inline float __fmul_rn(float x, float y) { return x * y; }

struct Thread { ucontext_t at; char stack[1 << 16]; int line; };  // line: of its barrier, 0 where it has ended
static Thread threads[1024];  // as many as a block has at most
static ucontext_t outside;
static void cv_meet(int line)
{
    Thread &now = threads[threadIdx.x];
    now.line = line;
    swapcontext(&now.at, &outside);
}
static char unused __attribute__((section("of_a_block"), used));
extern "C" char __start_of_a_block[], __stop_of_a_block[];

// Returns the number of a block whose threads do not all meet at the same barriers, or -1.
static int cv_run(unsigned grid, unsigned block, int turned, void (*body)())
{
    gridDim.x = grid;
    blockDim.x = block;
    for (unsigned b = 0; b < grid; b++) {
        blockIdx.x = turned ? grid - 1 - b : b;
        memset(__start_of_a_block, 0x7b, (size_t)(__stop_of_a_block - __start_of_a_block));
        for (unsigned t = 0; t < block; t++) {
            Thread &thread = threads[t];
            getcontext(&thread.at);
            thread.at.uc_stack.ss_sp = thread.stack;
            thread.at.uc_stack.ss_size = sizeof thread.stack;
            thread.at.uc_link = &outside;
            thread.line = -1;
            makecontext(&thread.at, body, 0);
        }
        while (threads[0].line != 0) {
            for (unsigned k = 0; k < block; k++) {
                const unsigned t = turned ? block - 1 - k : k;
                threadIdx.x = t;
                threads[t].line = 0;
                swapcontext(&outside, &threads[t].at);
            }
            for (unsigned t = 1; t < block; t++)
                if (threads[t].line != threads[0].line)
                    return (int)blockIdx.x;
        }
    }
    return -1;
}
"""
RUNNER = """
static void **{kernel}_given;
static void {kernel}_once() {{ void **given = {kernel}_given; (void)given; {kernel}({arguments}); }}
extern "C" int run_{kernel}(unsigned grid, unsigned block, int turned, void **given)
{{
    {kernel}_given = given;
    return cv_run(grid, block, turned, {kernel}_once);
}}
"""


SIZE = """
extern "C" unsigned long size_{kernel}_{k}() {{ return sizeof({kind}); }}
"""


def kernels(source):
    """`{kernel: [(type, name), …]}` of its parameters; the type of a pointer ends with `*`."""
    found = {}
    for name, given in re.findall(r"__global__ void (\w+)\(([^)]*)\)", source):
        parts = [part.replace("__restrict__", "").strip() for part in given.split(",") if part.strip()]
        found[name] = [(kind.strip() + star, word) for kind, star, word in
                       [re.fullmatch(r"(.*?)(\*?)\s*(\w+)", part).groups() for part in parts]]
    return found


def library(source, folder, name):
    """A library with a function `run_KERNEL(grid, block, turned, pointers)` for each kernel of a text."""
    text = SHIM + source
    for kernel, given in kernels(source).items():
        arguments = ", ".join([f"({kind})given[{k}]" if kind[-1] == "*" else f"*({kind} *)given[{k}]"
                               for k, (kind, _) in enumerate(given)])
        text += RUNNER.format(kernel=kernel, arguments=arguments)
        text += "".join([SIZE.format(kernel=kernel, k=k, kind=kind) for k, (kind, _) in enumerate(given)])
    if text in BUILT:
        return BUILT[text]
    path = Path(folder) / f"{name}.cpp"
    path.write_text(text)
    flags = ["-std=c++11", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
             "-Wno-unknown-pragmas"]
    done = subprocess.run([COMPILER, *flags, "-shared", "-fPIC", "-o", str(path.with_suffix(".so")), str(path), "-lm"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    BUILT[text] = ctypes.CDLL(str(path.with_suffix(".so")))
    return BUILT[text]


def launch(library, kernel, grid, block, turned, pointers):
    """Run a kernel of such a library, one at a time."""
    with TURN:
        wrong = getattr(library, f"run_{kernel}")(grid, block, int(turned), pointers)
    assert wrong == -1, f"{kernel}: threads of block {wrong} wait at different barriers"

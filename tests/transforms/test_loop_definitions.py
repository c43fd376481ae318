"""Definitions of loops are statements of the loop IR: LLVM and C print the same ones, and give the same numbers."""

import ctypes
import importlib.util
from pathlib import Path

import numpy as np
import pytest

from covector.core.ops.running_loops import RUNNING_SUMS
from covector.transforms.compile.call.loop_function import loop_function
from covector.transforms.compile.loops.define import Body, New
from covector.transforms.compile.loops.statements import OUTSIDE
from covector.transforms.compile.render.c.printer import Printer
from covector.transforms.compile.render.c.text import STORED, C as LANGUAGE, Module

pytest.importorskip("llvmlite", reason="needs the `llvm` extra: pip install 'covector[llvm]'")
SPEC = importlib.util.spec_from_file_location("c_functions", Path(__file__).with_name("c_functions.py"))
C = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(C)


def _products(k, x, y):
    """`x @ y` of matrices whose columns fill vectors, in tiles of two rows; negative elements of x are refused."""
    (n, depth), m = x.shape, y.shape[1]
    k.require(y.shape[0].equals(depth))
    out, copied = k.output(x.kind, (n, m)), k.scratch(x.kind, (n * depth,))
    last = k.cell(0, x.kind)
    for i in k.range(n * depth, vectors=True):
        copied[i] = k.maximum(x.shaped(n * depth)[i], 0.0)
    rows = copied.shaped(n, depth)
    for i in k.range(n, step=2):
        for j in k.range(m, step=k.width(x.kind)):
            tile = k.tile(x.kind, 2, 1)
            tile.begin()
            for d in k.range(depth):
                tile.add([tile.number(rows[i + r, d]) for r in range(2)], [tile.vector(y, d, j)])
            for r in range(2):
                tile.store(r, 0, out, i + r, j)
                last.add(tile.total(r, 0))
    for _ in k.when(last.get() > 0):
        out[n - 1, m - 1] = last.get()
    k.refuse(x[0, 0] < 0)


DEFINITIONS = {
    "products": (_products, ((4, 3), (3, 8)), [(4, 8), (12,)]),
    "running sums": (RUNNING_SUMS.define, ((9, 5, 1),), [(9, 5, 1)]),
    "running sums of columns": (RUNNING_SUMS.define, ((2, 5, 3),), [(2, 5, 3)]),
}


def _in_c(define, args, shapes, folder):
    """The outputs of a definition as C, and what it says of its end; the caller gives the memory of all arrays."""
    body = Body(16)
    sizes = [n for lengths in body.define(define, [("f64", x.ndim) for x in args]) for n in lengths]
    body.kernel.statements[:0] = [s for s in body.first if type(s) is not New]
    names = {m: f"a{k}" for k, m in enumerate((*body.kernel.inputs, *body.kernel.outputs))}
    body.kernel.given, module = sizes, Module(LANGUAGE)
    printer = Printer(body.kernel, module, names)
    given = [f"{STORED[m.kind]} *{name}" for m, name in names.items()] + [f"int64_t n{k}" for k in range(len(sizes))]
    path = folder / "loops.c"
    path.write_text("\n".join(["#include <math.h>", "#include <stdint.h>", "#include <string.h>", *module.needed_by(
        printer.lines), f"void run({', '.join(given)}) {{", *printer.lines, "}"]))
    run = C.library([path], folder, ("-std=c99", "-O2", "-ffp-contract=off")).run
    run.restype = None
    arrays = [*map(np.array, args), *map(np.zeros, (*shapes, 1))]
    run(*[ctypes.c_void_p(a.ctypes.data) for a in arrays], *[ctypes.c_int64(n) for x in args for n in x.shape])
    return arrays[len(args):-1], arrays[-1][0]


@pytest.mark.skipif(not C.COMPILER, reason=C.MISSING)
@pytest.mark.parametrize("name", DEFINITIONS)
def test_llvm_and_c_print_the_same_statements(name, tmp_path):
    define, given, shapes = DEFINITIONS[name]
    args = [np.abs(np.random.default_rng(0).normal(size=shape)) for shape in given]
    wanted = np.maximum(args[0], 0) @ args[1] if len(args) > 1 else np.cumsum(args[0], 1)
    native = loop_function(define, [(x.dtype, x.ndim) for x in args])
    (found, *_), end = _in_c(define, args, shapes, tmp_path)
    if len(args) > 1:  # the last element holds the sum of all
        wanted[-1, -1] = wanted.sum()
    for result in (native(*args), found):
        np.testing.assert_allclose(result, wanted, rtol=1e-13)
    assert end == 0


@pytest.mark.skipif(not C.COMPILER, reason=C.MISSING)
def test_what_a_definition_refuses_ends_early_in_both(tmp_path):
    x, y = -np.ones((4, 3)), np.ones((3, 8))
    assert loop_function(_products, [(v.dtype, v.ndim) for v in (x, y)])(x, y) is None
    assert loop_function(_products, [(v.dtype, v.ndim) for v in (x, y)])(x, y[:2].copy()) is None
    _, end = _in_c(_products, (x, y), [(4, 8), (12,)], tmp_path)
    assert end == OUTSIDE


def test_a_condition_is_looked_at_before_an_output_is_made():
    def late(k, x):
        k.output(x.kind, (x.shape[0],))
        k.require(x.shape[0] > 0)

    with pytest.raises(TypeError, match="before outputs are made"):
        Body(16).define(late, [("f64", 1)])


def test_a_number_of_a_loop_has_no_truth():
    def asked(k, x):
        if x.shape[0] > 0:
            k.output(x.kind, (1,))

    with pytest.raises(TypeError, match="use `where` or `when`"):
        Body(16).define(asked, [("f64", 1)])

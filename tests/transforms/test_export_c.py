"""C to take away: what `export_c` writes compiles without warnings, and gives the values of NumPy and native code."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from rig.compiled import compiled_fuzz, roundings

import covector as cv
from covector.core.errors import ConversionError, DtypeError, RuleError, ShapeError, TreeError
from covector.extend import REGISTRY
from covector.transforms.compile.loops.operations import FLOATS, INTEGERS, MASKS, POWERS
from covector.transforms.compile.maths import FUNCTIONS, NEAR
from covector.transforms.compile.render.c.text import number


def beside(name):
    """A module that lies beside this file."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


C = beside("c_functions")
LANES = beside("numpy_lanes")
needs_compiler = pytest.mark.skipif(not C.COMPILER, reason=C.MISSING)
RNG = np.random.default_rng(0)
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 2.0, -2.0, 3.0, 1.5, 88.0, -88.0, 1e-7, -1e-7,
           709.5, -745.0, 1e10, 1e35]
ENDS = {np.float64: [5e-324, -1e-310, 1e300, -1e300], np.float32: [1e-45, -1e-40, 3e38, -3e38]}


@pytest.fixture
def c(tmp_path):
    """`c(fun, *args)` compiles a function for such arguments."""
    return lambda fun, *args, **options: C.exported(fun, *args, folder=tmp_path, **{"name": "f", **options})


def close(found, wanted, tolerance=1e-13):
    """Compare pytrees of arrays, also their dtypes."""
    found, wanted = cv.tree.leaves(found), cv.tree.leaves(wanted)
    assert len(found) == len(wanted)
    for x, y in zip(found, wanted):
        y = np.asarray(y)
        assert x.dtype == y.dtype and x.shape == y.shape
        single = y.dtype == np.float32
        np.testing.assert_allclose(x, y, max(tolerance, 2e-5 * single), tolerance and 1e-13 + 1e-6 * single)


def points(dtype):
    """Special numbers, and others."""
    return np.array([*SPECIAL, *ENDS[dtype], *RNG.normal(size=20), *RNG.uniform(-30, 30, size=20)], dtype)


def pairs(dtype):
    """Every special number with every other."""
    x = np.array([*SPECIAL, *ENDS[dtype], *RNG.normal(size=4)], dtype)
    return [a.reshape(-1) for a in np.meshgrid(x, x)]


def operands(name, one, two):
    """As many arrays as an operation takes."""
    table = FUNCTIONS if name in FUNCTIONS else FLOATS
    count = table[name].__code__.co_argcount - 1
    return one[:1] if count == 1 else two[:2]


@needs_compiler
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_elementary_functions_are_those_of_native_code_bit_for_bit(c, dtype):
    """`numpy_lanes` runs the same definitions on arrays, with exact multiply-adds."""
    names = sorted(FUNCTIONS.keys() & REGISTRY.keys())
    assert len(names) > 35
    one, two = [points(dtype)], [a[::7] for a in pairs(dtype)]

    def every(one, two):
        return {name: REGISTRY[name].rebind(tuple(operands(name, one, two))) for name in names}

    run = c(every, one, two)
    found = run(one, two)
    lanes = LANES.NumPyLanes(64 if dtype is np.float64 else 32)
    with np.errstate(all="ignore"):
        for name in names:
            given = operands(name, one, two)
            wanted = FUNCTIONS[name](lanes, *given)
            if name in NEAR:
                quick, bound = NEAR[name]
                wanted = np.where(np.abs(given[0]) < bound[lanes.width], quick(lanes, *given), wanted)
            assert found[name].dtype == dtype
            called = f"cv_{name}{'f' * (dtype is np.float32)}(" in run.written.source
            assert called or name in ("softplus", "gelu", "silu", "log_expit"), name  # which other functions make
            assert np.max(C.ulps(found[name], np.asarray(wanted, dtype))) <= (0 if called else 3), name
            known = ~np.isnan(wanted)
            assert np.array_equal(np.signbit(found[name])[known], np.signbit(wanted)[known]), name


@needs_compiler
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_other_operations_on_floats_are_those_of_numpy(c, dtype):
    names = sorted(FLOATS.keys() & REGISTRY.keys() - {"strong_zero"})  # which takes not any two operands
    assert len(names) > 30
    one, two = [points(dtype)], pairs(dtype)

    def every(one, two):
        named = {name: REGISTRY[name].rebind(tuple(operands(name, one, two))) for name in names}
        return named, {str(n): one[0]**n for n in POWERS}, np.where(two[0] < two[1], *two)

    with np.errstate(all="ignore"):
        wanted = every(one, two)
    found = c(every, one, two)(one, two)
    for name in names:
        x, y = found[0][name], wanted[0][name]
        assert x.dtype == y.dtype
        if x.dtype == bool:
            assert np.array_equal(x, y), name
            continue
        assert np.max(C.ulps(x, y)) <= (name in ("deg2rad", "rad2deg")), name
        if name not in ("maximum", "minimum", "fmax", "fmin"):  # which of two equal zeros is not said
            assert np.array_equal(np.signbit(x) | np.isnan(y), np.signbit(y) | np.isnan(y)), name
    for n in POWERS:
        finite = np.isfinite(wanted[1][str(n)])
        assert np.array_equal(finite, np.isfinite(found[1][str(n)]))
        assert np.max(C.ulps(found[1][str(n)][finite], wanted[1][str(n)][finite])) <= 2
    assert np.array_equal(found[2], wanted[2], equal_nan=True)


@needs_compiler
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.bool_])
def test_operations_on_integers_and_booleans_are_those_of_numpy(c, dtype):
    table = MASKS if dtype is np.bool_ else INTEGERS
    names = sorted((table.keys() - {"floor_divide", "remainder"}) & REGISTRY.keys())
    least, most = (False, True) if dtype is np.bool_ else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    values = np.array([0, 1, least, most, *([] if dtype is np.bool_ else [-1, 2, -7, 12345, least + 1])], dtype)
    x, y = (a.reshape(-1) for a in np.meshgrid(values, values))

    def every(x, y):
        return {name: REGISTRY[name].rebind((x, y)[: table[name].__code__.co_argcount - 1]) for name in names}

    with np.errstate(all="ignore"):
        wanted = every(x, y)
    found = c(every, x, y)(x, y)
    for name in names:
        assert found[name].dtype == wanted[name].dtype and np.array_equal(found[name], wanted[name]), name


@needs_compiler
@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_integers_are_divided_by_known_numbers_as_numpy_does(c, dtype):
    def parts(x):
        return [np.divmod(x, d) for d in (1, 2, 3, -3, 7)]

    x = np.array([0, 1, -1, 5, -6, -7, np.iinfo(dtype).min, np.iinfo(dtype).max], dtype)
    with np.errstate(all="ignore"):
        wanted = parts(x)
    for ours, theirs in zip(c(parts, x)(x), wanted, strict=True):
        assert all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))


@needs_compiler
def test_casts(c):
    given = {"f64": np.array([0.0, -0.0, 1.9, -1.9, 1e9, np.inf]), "f32": np.array([0.5, -3.7, 16777216], np.float32),
             "i64": np.array([0, -5, 2**53 + 1, -(2**63)]), "i32": np.array([7, -(2**31), 0], np.int32),
             "b8": np.array([True, False])}
    kinds = (np.float64, np.float32, np.int64, np.int32, np.bool_)

    def every(given):
        return {key: [x.astype(t) for t in kinds] for key, x in given.items() if key != "f64"}, [
            given["f64"].astype(t) for t in (np.float32, np.bool_)], given["f64"][:5].astype(np.int64)

    close(c(every, given)(given), every(given), 0)


@needs_compiler
def test_sums_and_other_reductions(c):
    x = RNG.normal(size=(7, 5, 33))

    def every(x):
        axes = (None, 0, 1, 2, (0, 1), (0, 2), (1, 2), -1)
        return ([np.sum(np.tanh(x), axis=a) for a in axes], [np.max(x, axis=a) for a in axes],
                [np.min(x * x, axis=a, keepdims=True) for a in axes], [np.prod(x, axis=a) for a in axes[1:4]],
                [np.all(x > -2.0, axis=a) for a in axes], [np.any(x > 2.0, axis=a) for a in axes],
                np.sum(x.astype(np.int64) * 3, axis=1), np.mean(x), np.var(x, axis=0))

    close(c(every, x)(x), every(x), 1e-12)
    close(c(every, x.astype(np.float32))(x.astype(np.float32)), every(x.astype(np.float32)))


@needs_compiler
@pytest.mark.parametrize("size", [1, 2, 16, 17, 31, 32, 33, 64, 1000, 8192, 20_001])
def test_sums_of_any_length(c, size):
    x = RNG.normal(size=size)

    def sums(x):
        return np.sum(x * x), np.max(x), np.sum(x[::-1] * x), np.max(np.where(x > 0.0, x, np.nan))

    close(c(sums, x)(x), sums(x), 1e-12)


@needs_compiler
def test_long_sums_in_single_precision_keep_their_digits(c):
    x = RNG.uniform(size=300_000).astype(np.float32)
    found = c(lambda x: np.sum(x), x)(x)
    assert abs(float(found) - float(np.sum(x, dtype=np.float64))) < 0.02


@needs_compiler
@pytest.mark.parametrize(("one", "other"), [
    ((3,), (3,)), ((4, 3), (3,)), ((3,), (3, 4)), ((2, 4, 3), (3, 5)), ((2, 1, 4, 3), (3, 3, 2)), ((40, 30), (30, 50)),
    ((50, 70), (70,)), ((70,), (70, 60)), ((3, 20, 30), (30, 25)), ((1, 1), (1, 1)), ((5, 1), (1, 4))])
def test_products(c, one, other):
    x, y = RNG.normal(size=one), RNG.normal(size=other)

    def every(x, y):
        return x @ y, np.sum(np.tanh(x @ y)), cv.grad(lambda x, y: np.sum(np.sin(x @ y)), (0, 1))(x, y)

    close(c(every, x, y)(x, y), every(x, y), 1e-11)


@needs_compiler
def test_views_joins_and_constants(c):
    x = RNG.normal(size=(6, 8))
    table, turned = RNG.normal(size=(6, 8)), RNG.normal(size=(8, 6))[::-1, ::-2]

    def every(x):
        return {"turned": x.T * 2.0, "part": x[1:5:2, ::-1], "one": x[2, 3], "last": x[-1],
                "joined": np.concatenate([x, x[:2] * 3.0]), "stacked": np.stack([x, table], axis=1),
                "padded": np.pad(x, ((1, 2), (0, 3))), "wide": np.broadcast_to(x[:, None], (6, 4, 8)) + 1.0,
                "table": x * table, "other": np.sum(turned, axis=0) * x[:3, 0] + turned[1], "flat": x.reshape(-1)[::3],
                "known": np.arange(40.0), "number": 3.0, "input": x, "whole": np.arange(5), "flags": table > 0.0}

    close(c(every, x)(x), every(x), 1e-14)


@needs_compiler
def test_pytrees_numbers_and_dtypes(c):
    tree = {"w": RNG.normal(size=(3, 4)), "b": [RNG.normal(size=4).astype(np.float32), np.arange(4)],
            "flags": np.array([True, False, True, True])}

    def f(params, n, scale=2.0, *rest):
        w, (b, k) = params["w"], params["b"]
        return {"a": (np.where(params["flags"], w, n) * scale, b * 2), "k": k * n + k, "rest": [r + 1 for r in rest]}

    args = tree, 3, 0.5, np.ones(2, np.int32)
    run = c(f, *args)
    close(run(*args), f(*args))
    header = run.written.header
    for line in ("params_w      double[3][4]  argument params['w']", "params_b_0    float[4]  argument params['b'][0]",
                 "n             int64_t[1]  argument n", "rest0         int32_t[2]  argument rest0",
                 "out_a_0       double[3][4]  result out['a'][0]", "params_flags  uint8_t[4]  argument params['flags']",
                 "out_rest_0    int32_t[2]  result out['rest'][0]"):
        assert line in header


def rk4(state, rate):
    """Forty steps of a pendulum."""
    def slope(s):
        return np.stack([s[1], -np.sin(s[0]) * rate])

    def step(s, _):
        a = slope(s)
        b = slope(s + 0.05 * a)
        d = slope(s + 0.05 * b)
        e = slope(s + 0.1 * d)
        s = s + 0.1 / 6.0 * (a + 2.0 * b + 2.0 * d + e)
        return s, s[0]

    return cv.scan(step, state, None, length=40)


@needs_compiler
def test_scan_its_gradient_and_its_hessian(c):
    start = np.array([0.5, 0.1])

    def loss(state, rate):
        end, angles = rk4(state, rate)
        return np.sum(angles**2) + end[1]

    def every(state, rate):
        return rk4(state, rate), cv.value_and_grad(loss, (0, 1))(state, rate), cv.hessian(loss)(state, rate)

    close(c(every, start, 1.3)(start, 1.3), every(start, 1.3), 1e-11)


@needs_compiler
def test_scans_over_rows_backwards_and_of_long_states(c):
    rows, start = RNG.normal(size=(9, 20)), RNG.normal(size=20)

    def every(start, rows):
        def step(s, row):
            s = np.tanh(s + row[::-1]) * 0.9
            return s, s[:3]

        return cv.scan(step, start, rows, reverse=True), cv.grad(lambda s: np.sum(cv.scan(step, s, rows)[1]))(start)

    close(c(every, start, rows)(start, rows), every(start, rows), 1e-12)


@needs_compiler
def test_while_cond_and_fori_loop(c):
    def newton(a):
        def more(pair):
            return np.abs(pair[0] * pair[0] - a) > 1e-13 * a

        return cv.while_loop(more, lambda p: (0.5 * (p[0] + a / p[0]), p[1] + 1), (a, 0))

    def every(a, x):
        return (newton(a), cv.cond(a > 2.0, lambda x: x * 2.0, lambda x: -x, x),
                cv.fori_loop(0, 5, lambda i, s: s * 0.5 + i, x), cv.grad(lambda x: np.sum(
                    cv.cond(a > 2.0, lambda x: np.sin(x), lambda x: x**3, x)))(x))

    x = RNG.normal(size=40)
    run = c(every, 2.5, x)
    for a in (2.5, 1.5, 1e-4):
        close(run(a, x), every(a, x))


@needs_compiler
def test_functions_with_rules_of_their_own_and_checkpoints(c):
    @cv.custom_vjp
    def clipped(x):
        return np.sin(x) * 2.0

    clipped.defvjp(lambda x: (clipped(x), x), lambda x, ct: (np.maximum(ct * x, 0.0),))

    def root(a):
        return cv.custom_root(lambda y: y * y - a, 1.0 * a, lambda g, y: cv.fori_loop(
            0, 8, lambda i, y: y - g(y) / (2.0 * y), y), lambda g, y: y / g(1.0))

    x = np.linspace(-1.0, 2.0, 30)

    def every(x, a):
        return (clipped(x), cv.grad(lambda x: np.sum(clipped(x)))(x), root(a), cv.grad(root)(a),
                cv.scan(lambda s, _: (clipped(s), s[0]), x, None, length=3),
                cv.grad(cv.checkpoint(lambda x: np.sum(np.tanh(x))))(x), cv.jit(lambda x: x + 1.0)(x))

    close(c(every, x, 2.0)(x, 2.0), every(x, 2.0))


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1]**2)**2 + (1.0 - x[:-1])**2)


@needs_compiler
def test_gradient_and_hessian_of_rosenbrock(c):
    x = RNG.normal(size=10)
    run = c(lambda x: (cv.value_and_grad(rosenbrock)(x), cv.hessian(rosenbrock)(x)), x)
    close(run(x), (cv.value_and_grad(rosenbrock)(x), cv.hessian(rosenbrock)(x)), 1e-12)


def model(y, p):
    """One step of a chain of ten species that react with their neighbours."""
    rate = p * np.exp(-0.5 * y * y) / (1.0 + y)
    flow = rate * np.tanh(y - np.roll(y, 1))
    return y + 0.01 * (np.roll(flow, -1) - flow)


@needs_compiler
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_native_code_gives_the_same_to_two_units_a_step(c, dtype):
    pytest.importorskip("llvmlite", reason="the native code of jit needs llvmlite: pip install 'covector[llvm]'")
    y, p = RNG.uniform(0.5, 1.5, 10).astype(dtype), RNG.uniform(0.5, 1.5, 10).astype(dtype)
    x = RNG.uniform(0.1, 3.0, size=(50, 41)).astype(dtype)

    def every(y, p, x):
        return model(y, p), [np.exp(x), np.sin(x * 40), np.log(x) * x, np.tanh(x), x**1.7, np.arctan2(x, p[0])]

    native = cv.jit(every, compiler_options={"printer": "llvm"})
    for found, wanted in zip(cv.tree.leaves(c(every, y, p, x)(y, p, x)), cv.tree.leaves(native(y, p, x))):
        assert np.max(C.ulps(found, wanted)) <= 2
    gradient = cv.grad(lambda y, p: np.sum(np.cos(model(y, p))), (0, 1))
    for found, wanted in zip(c(gradient, y, p)(y, p), cv.jit(gradient, compiler_options={"printer": "llvm"})(y, p)):
        np.testing.assert_allclose(found, wanted, 20 * np.finfo(dtype).eps)


@needs_compiler
def test_random_programs_agree(tmp_path):
    written = []

    def compiled(graph):
        runs = []

        def run(values):
            if not runs:
                runs.append(graph.interpret)
                try:
                    f = C.exported(lambda *xs: tuple(graph.eval(xs)), *values, folder=tmp_path, name="f",
                                   flags=(*C.STRICT, "-O0"))
                    written.append(f)
                    runs[0] = lambda values: [x if x.ndim else x[()] for x in f(*values)]
                except (RuleError, DtypeError, ShapeError):
                    pass  # what has no C form
            with np.errstate(all="ignore"):
                return runs[0](values)

        return run

    from_c = compiled_fuzz(programs=12, seed=11, evaluated=compiled, apart=roundings)
    assert from_c == [] and len(written) > 10


@needs_compiler
def test_temporaries_beyond_the_stack_are_the_callers(c):
    x = RNG.normal(size=(60, 60))

    def f(x):
        return cv.grad(lambda x: np.sum(np.tanh(np.sin(x @ x) @ x)))(x)

    run = c(f, x)
    assert C.scratch_of(run.written) >= 60 * 60 * 8 and "aligned as malloc does it" in run.written.header
    close(run(x), f(x), 1e-10)
    assert C.scratch_of(c(rosenbrock, np.ones(10), name="small").written) == 0


@needs_compiler
@pytest.mark.parametrize("flags", [("-std=gnu17", "-O3", "-march=native"), ("-std=c11", "-O0"), ("-Os",)])
def test_values_do_not_depend_on_flags(tmp_path, flags):
    x = RNG.uniform(0.1, 5.0, size=200)

    def f(x):
        return [np.log(x), np.exp(x), np.tan(x), x**x, cv.scipy.special.gammaln(x), np.sum(np.arctan(x))]

    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    wanted = C.exported(f, x, folder=folders[0], name="f")(x)
    found = C.exported(f, x, folder=folders[1], name="f", flags=("-Wall", "-Wextra", "-Werror", *flags))(x)
    assert all(np.array_equal(a, b) for a, b in zip(found, wanted))


@needs_compiler
def test_fast_maths_is_refused(tmp_path):
    written = cv.export_c(np.exp, np.ones(3), folder=tmp_path)
    done = subprocess.run([*C.COMPILER, "-ffast-math", "-c", "-o", str(tmp_path / "x.o"), str(written.paths[0])],
                          capture_output=True, text=True, check=False)
    assert done.returncode and "without -ffast-math" in done.stderr


@pytest.mark.skipif(not shutil.which("g++"), reason="no g++ was found")
def test_the_text_is_cpp_too(tmp_path):
    x = RNG.normal(size=(20, 30))

    def f(x):
        return cv.grad(lambda x: np.sum(np.tanh(x @ x.T)))(x), np.sin(x), x > 0.0, rk4(x[0, :2], x[0, 0])

    written = cv.export_c(f, x, folder=tmp_path, name="f")
    C.library([written.paths[0]], tmp_path, ("-x", "c++", "-std=c++11", *C.STRICT[1:]), ["g++"])


@needs_compiler
def test_products_by_cblas(tmp_path):
    """With a CBLAS of our own that notes what it is asked for."""
    x, y, v = RNG.normal(size=(40, 30)), RNG.normal(size=(150, 30)), RNG.normal(size=30)

    def f(x, y, v):
        return x @ y.T, x.T @ x, y @ v, (x @ np.tanh(y.T)).T, np.stack([x, x]) @ y.T, (x * 2.0).T[::2] @ x @ v

    (tmp_path / "cblas.h").write_text("""
enum { CblasRowMajor = 101, CblasNoTrans = 111, CblasTrans = 112 };
void cblas_dgemm(int order, int over_a, int over_b, int n, int m, int k, double alpha, const double *a, int lda,
    const double *b, int ldb, double beta, double *c, int ldc);
void cblas_dgemv(int order, int over, int n, int m, double alpha, const double *a, int lda, const double *x, int incx,
    double beta, double *y, int incy);
""")
    (tmp_path / "mine.c").write_text("""
#include "cblas.h"
int calls = 0;
void cblas_dgemm(int order, int over_a, int over_b, int n, int m, int k, double alpha, const double *a, int lda,
    const double *b, int ldb, double beta, double *c, int ldc)
{
    calls++;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double total = 0.0;
            for (int l = 0; l < k; l++)
                total += a[over_a == 111 ? i * lda + l : l * lda + i] * b[over_b == 111 ? l * ldb + j : j * ldb + l];
            c[i * ldc + j] = order == 101 ? alpha * total + beta * c[i * ldc + j] : 0.0;
        }
}
void cblas_dgemv(int order, int over, int n, int m, double alpha, const double *a, int lda, const double *x, int incx,
    double beta, double *y, int incy)
{
    calls++;
    for (int i = 0; i < (over == 111 ? n : m); i++) {
        double total = 0.0;
        for (int l = 0; l < (over == 111 ? m : n); l++)
            total += (over == 111 ? a[i * lda + l] : a[l * lda + i]) * x[l * incx];
        y[i * incy] = order == 101 ? alpha * total + beta * y[i * incy] : 0.0;
    }
}
""")
    written = cv.export_c(f, x, y, v, folder=tmp_path, name="f", blas=True)
    loaded = C.library([written.paths[0], tmp_path / "mine.c"], tmp_path, (*C.STRICT, f"-I{tmp_path}"))
    outs = [np.zeros(a.shape) for a in f(x, y, v)]
    scratch = np.zeros(C.scratch_of(written) + 64, np.uint8)
    loaded.f(*[C._POINTERS(a.ctypes.data) for a in (x, y, v, *outs, scratch)])
    close(outs, f(x, y, v), 1e-12)
    assert C.ctypes.c_int.in_dll(loaded, "calls").value >= 7
    assert "cblas" not in cv.export_c(f, x, y, v, folder=None, name="f").source


@needs_compiler
def test_the_example_of_the_manual_runs_as_a_program(tmp_path):
    """The C program of docs/exporting.md, as it stands there."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "exporting.md").read_text(encoding="utf-8")
    program = page.split("```c\n")[1].split("```")[0]
    (tmp_path / "main.c").write_text(program)

    def energy(y, p):
        return np.sum(p["k"] * np.tanh(y) ** 2) + p["c"] * np.sum(y[1:] * y[:-1])

    y, p = np.linspace(0.0, 1.0, 10), {"k": np.ones(10), "c": 0.5}
    cv.export_c(cv.grad(energy), y, p, name="slope", folder=tmp_path)
    subprocess.run([*C.COMPILER, *C.STRICT, "-o", str(tmp_path / "main"), str(tmp_path / "main.c"),
                    str(tmp_path / "slope.c"), "-lm"], check=True)
    done = subprocess.run([str(tmp_path / "main")], capture_output=True, text=True, check=True)
    np.testing.assert_allclose(np.array(done.stdout.split(), float), cv.grad(energy)(y, p), 1e-6)


# what is written, and what is refused: without a compiler


def test_text_and_paths(tmp_path):
    def double(x):
        return x * 2.0

    written = cv.export_c(double, np.ones(3), folder=tmp_path)
    assert written.name == "f" and [p.name for p in written.paths] == ["f.c", "f.h"]  # double is a word of C
    assert written.paths[0].read_text() == written.source and written.paths[1].read_text() == written.header
    assert cv.export_c(double, np.ones(3), folder=None).paths == ()
    assert cv.export_c(lambda x: x * 2.0, cv.ShapeDtype((3,)), folder=None).name == "f"
    table = cv.export_c(lambda x: x + np.arange(20.0), np.ones(20), folder=None)
    assert "static const double k0[20] = {" in table.source
    assert "cv_" not in written.source  # only the functions that are used


@pytest.mark.parametrize("names", [("v1", "i2", "m3"), ("int", "struct", "restrict"), ("floor", "fma", "scratch"),
                                   ("cv_exp", "int32_t", "_x"), ("x", "out", "NAN"), ("k0", "s1", "é"),
                                   ("INT32_MAX", "HUGE_VAL", "unix"), ("errno", "M_PI", "I"), ("linux", "true", "EOF"),
                                   ("M_PIf", "PRIu64", "math_errhandling"), ("CBLAS_H", "COVECTOR_f_H", "F_SCRATCH")])
def test_names_that_c_or_the_text_itself_needs_are_changed(names, tmp_path):
    scope = {"np": np}
    exec(f"def f({', '.join(names)}):\n    return np.floor({names[0]}) + {names[1]} * {names[2]}", scope)
    args = [np.full(20, k + 1.5) for k in range(3)]
    written = cv.export_c(scope["f"], *args, folder=None, name="f")
    head = written.header.split("void f(")[1].split(");")[0]
    given = [part.split("*")[1] for part in head.replace("\n", " ").split(",")]
    assert len(set(given)) == 5 and not set(given[:4]) & (set(names) - {"x", "out"})
    if C.COMPILER:
        found = C.exported(scope["f"], *args, folder=tmp_path, name="f")(*args)
        np.testing.assert_array_equal(found, scope["f"](*args))


class Spelled(str):
    """A key that is shown as it is."""

    __repr__ = str.__str__


@needs_compiler
@pytest.mark.parametrize("flags", [("-std=c99",), ("-std=c11", "-trigraphs"), ("-std=gnu17",),
                                   ("-x", "c++", "-std=c++11")])
def test_no_key_and_no_name_of_a_function_ends_a_comment(flags, tmp_path):
    keys = ["*/ int evil(void) { return 1; } /*", "*", "/", "/*/", "//", "a\\", "a\\ ", "??/", "???/", "*\\", "*\\\n/",
            "é", "\0", "\r", "\u202e", "\ud800", '"', "int", ""]

    def double(tree):
        return {k: 2.0 * v for k, v in tree.items()}

    double.__name__ = "*/ int evil(void) { return 1; } /*"
    written = cv.export_c(double, {Spelled(k): 1.0 for k in keys}, folder=tmp_path)
    library = C.library([written.paths[0]], tmp_path, (*flags, *C.STRICT[1:]))
    assert written.name == "f" and hasattr(library, "f") and not hasattr(library, "evil")
    assert (written.source + written.header).isascii()


def test_the_guard_of_a_header_is_that_of_no_other():
    guards = {cv.export_c(np.sin, 1.0, folder=None, name=name).header.split("#ifndef ")[1].split()[0]
              for name in ("f", "F", "math", "cblas")}
    assert len(guards) == 4 and all(guard.startswith("COVECTOR_") for guard in guards)


@pytest.mark.parametrize(("value", "kind", "text"), [
    (0.1, "f64", "0.1"), (-0.0, "f64", "-0.0"), (1e300, "f64", "1e+300"), (5e-324, "f64", "5e-324"),
    (np.inf, "f64", "(double)INFINITY"), (-np.inf, "f32", "-INFINITY"), (np.nan, "f32", "NAN"), (0.1, "f32", "0.1f"),
    (1e300, "f32", "INFINITY"), (3, "i32", "3"), (-(2**31), "i32", "(-2147483647 - 1)"), (5, "i64", "5LL"),
    (-(2**63), "i64", "(-9223372036854775807LL - 1)"), (True, "b8", "1")])
def test_numbers(value, kind, text):
    assert number(value, kind) == text


@pytest.mark.parametrize(("fun", "name"), [
    (lambda x: np.sort(x), "sort"), (lambda x: np.linalg.solve(x.reshape(2, 2), x[:2]), "solve"),
    (lambda x: np.fft.fft(x).real, "dft"), (lambda x: x[np.argsort(x)], "argsort"),
    (lambda x: cv.scan(lambda s, _: (np.sort(s), s[0]), x, None, length=3)[0], "sort"),
    (lambda x: cv.host_callback(np.sin, x, x), "host_callback")])
def test_what_has_no_c_form_is_refused_by_name_and_line(fun, name):
    with pytest.raises(RuleError, match=rf"export_c: `\w*{name}\w*` of f64\[.* has no C form; .*test_export_c.py:\d+"):
        cv.export_c(fun, np.ones(4), folder=None)


def test_bad_arguments():
    with pytest.raises(DtypeError, match=r"export_c writes arrays of float64.*argument x\['a'\] is c128\[3\]; convert"):
        cv.export_c(lambda x: x["a"], {"a": np.ones(3, complex)}, folder=None)
    with pytest.raises(DtypeError, match=r"the result out is f16\[3\]; convert"):
        cv.export_c(lambda x: x.astype(np.float16), np.ones(3), folder=None)
    with pytest.raises(ShapeError, match=r"argument x has shape \(0,\); leave it out"):
        cv.export_c(lambda x: x, np.ones(0), folder=None)
    with pytest.raises(ValueError, match="export_c names a function and two files, but got name='a b'; use letters"):
        cv.export_c(np.sin, 1.0, name="a b", folder=None)
    for name in ("main", "double", "exp", "gamma", "free", "scanf", "index", "hypotf", "size_t", "cv_exp",
                 "INT32_MAX", "unix", "errno", "NAN", "I", "M_PI", "assert", "a\n"):
        with pytest.raises(ValueError, match=f"got name={re.escape(repr(name))}; .*no name that C has for something"):
            cv.export_c(np.sin, 1.0, name=name, folder=None)
    assert cv.export_c(np.sin, 1.0, folder=None).name == "f"
    with pytest.raises(TreeError, match="export_c needs a function that returns arrays, but none returned None"):
        def none(x):
            return None
        cv.export_c(none, 1.0, folder=None)
    with pytest.raises(TypeError, match="returned 'a' of type str"):
        cv.export_c(lambda x: "a", 1.0, folder=None)
    with pytest.raises(TypeError, match="export_c needs a function, but got 3; write"):
        cv.export_c(3, 1.0)
    with pytest.raises(ConversionError, match="bool"):
        cv.export_c(lambda x: x if x > 0 else -x, 1.0)

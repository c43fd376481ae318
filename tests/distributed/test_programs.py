"""Programs over a mesh give on two and four ranks, and in JAX, what they give on one process."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent


def beside(name):
    """A module of this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(f"distributed_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


launching, programs, helpers = beside("launching"), beside("programs"), beside("helpers")
launched = launching.launched
needs_mpi = pytest.mark.skipif(launching.mpiexec() is None, reason=launching.WITHOUT_MPI)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("distributed")


@pytest.fixture(scope="module")
def alone(folder):
    """What the programs give on one process."""
    programs.main(folder / "alone.npz", False)
    return np.load(folder / "alone.npz")


def check_same(found, expected, names):
    assert names
    for name in names:
        tol = 2e-5 if "float32" in name else 1e-10
        assert found[name].dtype == expected[name].dtype or "int32" in name, name
        np.testing.assert_allclose(found[name], expected[name], rtol=tol, atol=tol, err_msg=name)


@needs_mpi
@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, 4])
def test_collectives_give_on_ranks_what_they_give_in_one_process(ranks, alone, folder):
    out = folder / f"ranks{ranks}.npz"
    done = launched(ranks, "programs.py", out)
    assert done.returncode == 0, done.stderr[-3000:]
    found = np.load(out)
    assert sorted(found.files) == sorted(alone.files) and len(found.files) > 700
    check_same(found, alone, alone.files)


@pytest.mark.slow
def test_gradients_agree_with_differences(alone):
    """The gradient by the shared operand, on one place of two, against finite differences of the whole loss."""
    import covector
    import covector.distributed as dist
    from covector.distributed import P

    lib = programs.with_covector()
    mesh = dist.Mesh((4,), ("i",))
    w, x = programs.data("float64", 4, 1)
    for name, collective in programs.COLLECTIVES.items():
        total, _ = programs.functions(lib, collective, 4, ("i",))
        f = dist.shard_map(total, mesh, (P(), P("i")), P())
        got = covector.grad(f)(w, x)
        step = 1e-6
        for k in range(2):
            d = np.zeros(2)
            d[k] = step
            want = (f(w + d, x) - f(w - d, x)) / (2 * step)
            assert abs(got[k] - want) < 1e-6 * max(1, abs(want)), name


@pytest.mark.reference
def test_collectives_give_what_jax_gives_on_four_devices(alone, folder):
    out = folder / "jax.npz"
    done = subprocess.run([sys.executable, HERE / "programs.py", out, "--jax"], capture_output=True, text=True,
                          env={**os.environ, "JAX_PLATFORMS": "cpu"}, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    expected = np.load(out)
    assert len(expected.files) > 150
    check_same(alone, expected, expected.files)


@needs_mpi
@pytest.mark.slow
def test_helpers_give_on_ranks_what_they_give_in_one_process(folder):
    helpers.main(folder / "one.npz", folder / "state")
    expected = np.load(folder / "one.npz")
    for ranks, mode in ((4, "--load"), (4, ""), (2, "--load")):  # a state saved on 1 is loaded on 4, one of 4 on 2
        out = folder / f"helpers{ranks}.npz"
        done = launched(ranks, "helpers.py", out, folder / "state", mode)
        assert done.returncode == 0, done.stderr[-3000:]
        check_same(np.load(out), expected, expected.files)


def test_helpers_of_one_process_agree_with_plain_code(folder):
    import covector
    import covector.distributed as dist

    helpers.main(folder / "plain.npz", folder / "plain")
    found = np.load(folder / "plain.npz")
    rng = np.random.default_rng(0)
    params, x, y = helpers.network(rng, (5, 16, 16, 3)), rng.normal(size=(16, 5)), rng.normal(size=(16, 3))
    value, gradient = covector.value_and_grad(helpers.loss)(params, x, y)
    for name in ("plain", "small", "micro", "inside"):
        np.testing.assert_allclose(found[f"{name} value"], value, rtol=1e-12)
        for k, g in enumerate(covector.tree.leaves(gradient)):
            np.testing.assert_allclose(found[f"{name} gradient {k}"], g, rtol=1e-9, atol=1e-12)
    at = rng.normal(size=8)
    wave = lambda x: np.sin(np.outer(x, x)).sum(1) * x  # noqa: E731
    np.testing.assert_allclose(found["jacobian"], covector.jacfwd(wave)(at), rtol=1e-10, atol=1e-12)
    assert dist.load(folder / "plain", {"b": np.float32([0, 0]), "n": np.int64(0), "w": np.zeros((8, 2))},
                     dist.Mesh(1, "data"), dist.P())[1] == 5


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=needs_mpi), pytest.param(4, marks=needs_mpi)])
@pytest.mark.slow
@pytest.mark.parametrize("script", ["options.py", "nesting.py"])
def test_options_dtypes_layouts_and_nesting(ranks, script):
    done = launched(ranks, script)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=needs_mpi), pytest.param(4, marks=needs_mpi)])
@pytest.mark.slow
def test_native_code_goes_on_behind_collectives(ranks):
    pytest.importorskip("llvmlite", reason="needs the `llvm` extra: pip install 'covector[llvm]'")
    done = launched(ranks, "exchanges.py")
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count("interrupted") == (ranks > 1) and done.stdout.count("too late") == ranks - 1

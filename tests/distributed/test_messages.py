"""What wrong meshes, specs and collectives say, in one process."""

import os
import subprocess
import sys

import numpy as np
import pytest

import covector as cv
import covector.distributed as dist
from covector.core.errors import MissingLibraryError, ShapeError, TreeError
from covector.distributed import P


class Ranks:
    """A communicator as far as a mesh looks at it before it refuses."""

    def Get_size(self):  # noqa: N802
        return 2

    def Get_rank(self):  # noqa: N802
        return 0


MESH = dist.Mesh((2, 2), ("data", "model"))
X = np.ones((4, 4))


@pytest.mark.parametrize("call, error, words", [
    (lambda: dist.Mesh((3,), ("data",), Ranks()), ShapeError, r"mesh of 3 places \(data=3\) does not fit 2 ranks"),
    (lambda: dist.Mesh((2, 2), ("data",)), ShapeError, r"one name for each axis.*\(2, 2\).*\(at test_messages.py"),
    (lambda: dist.Mesh((2,), ("data",), check="often"), ValueError, r"check= of first, always, never.*'often'"),
    (lambda: dist.Mesh((2,), ("data",), transport="gloo"), ValueError, r"transport= of None, 'nccl' and 'mpi'.*'gloo'"),
    (lambda: dist.P("data", "data"), ValueError, "each once"),
    (lambda: dist.shard_map(np.sin, MESH, P("rows"), P())(X), NameError, r"no axis named 'rows'.*'data', 'model'"),
    (lambda: dist.shard_map(np.sin, MESH, P("data"), P())(np.ones(3)), ShapeError, r"shape \(3,\).*into 2 parts"),
    (lambda: dist.shard_map(np.sin, MESH, P(None, "data"), P())(np.ones(4)), ShapeError, r"2 axes, but shape \(4,\)"),
    (lambda: dist.shard_map(np.sin, MESH, P("data"), P())(X), ValueError, r"along the axis 'data'.*psum or pmean"),
    (lambda: dist.shard_map(np.sin, MESH, (P(), P()), P())(X), TreeError, "one spec for each of the 1 arguments"),
    (lambda: dist.shard_map(np.sin, MESH, 0, P())(X), TypeError, r"takes partition specs, but got 0"),
    (lambda: dist.shard_map(np.sin, None, P(), P()), TypeError, r"needs a mesh, but got None"),
    (lambda: dist.shard_map(np.sin, MESH, P(), P())("text"), TypeError, "takes arrays, but got 'text'"),
    (lambda: dist.P(0), ValueError, r"takes names of axes.*got \(0,\)"),
    (lambda: dist.shard_map(lambda t: t, MESH, ({"b": P()},), P())({"a": X}), TreeError, r"'a': f64\[4,4\]"),
    (lambda: dist.shard_map(lambda x, k: x, MESH, (P(), P()), P())(X, k=3), TypeError, "got the keywords k; give them"),
    (lambda: dist.shard_map(dist.shard_map(np.sin, MESH, P("data"), P("data")), MESH, P("data"), P("data"))(X),
     ValueError, "over the axis 'data' stands inside of another one"),
    (lambda: dist.sharded_jacobian(np.sum, MESH)(X), ShapeError, r"over 2 places, but it has shape \(\)"),
    (lambda: dist.gather(np.ones(3), MESH, P("data", "model")), ShapeError, r"2 axes, for an array of shape \(3,\)"),
    (lambda: dist.shard_map(np.sum, MESH, P("data"), P("data"))(X), ShapeError, "names 1 axes, but shape"),
    (lambda: cv.psum(X, "data"), NameError, r"no mapped axis named 'data'.*shard_map.*\(at test_messages.py"),
    (lambda: dist.load("/nowhere", X, MESH, P()), FileNotFoundError, "found no manifest.json"),
    (lambda: dist.data_parallel_value_and_grad(lambda w, x: w * x, MESH, micro_batches=3)(1.0, np.ones(4)), ShapeError,
     r"into 3 parts along axis 0, but one array has shape \(4,\)"),
])
def test_wrong_use_is_said(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_saved_state_of_other_shape_or_damaged_is_refused(tmp_path):
    dist.save(tmp_path, X, MESH, P("data"), step=1)
    with pytest.raises(ShapeError, match=r"expects array 0 of shape \(2, 4\).*\(4, 4\)"):
        dist.load(tmp_path, X[:2], MESH, P("data"))
    part = next(tmp_path.glob("*/part-00000.npz"))
    part.write_bytes(part.read_bytes()[:-7] + b"damaged")
    with pytest.raises(ValueError, match="checksum differs"):
        dist.load(tmp_path, X, MESH, P("data"))


def test_several_processes_without_mpi4py_are_refused():
    code = ("import sys; sys.modules['mpi4py'] = None\nimport covector.distributed as dist\n"
            "try:\n    dist.Mesh((2,), 'data')\nexcept ImportError as error:\n    print(type(error).__name__, error)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={**os.environ, "PMI_SIZE": "2"}, check=True)
    assert MissingLibraryError.__name__ in done.stdout and "pip install 'covector[mpi]'" in done.stdout


def test_loading_covector_loads_no_mpi():
    code = "import sys, covector, covector.distributed; print([m for m in sys.modules if m.startswith('mpi4py')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_branches_that_vary_and_do_not_are_refused():
    def f(x):
        return cv.lax.cond(cv.psum(x.sum(), "data") > 0, lambda x: cv.psum(x, "data"), lambda x: x, x)

    with pytest.raises(TreeError, match=r"varies along the mesh axis 'data'.*pvary"):
        dist.shard_map(cv.jit(f), dist.Mesh((2,), ("data",)), P("data"), P("data"))(np.ones(4))

"""Sharded checkpoints of a run: each process writes its shards, one manifest ties them together."""

import json
import os
import shutil
import uuid
import zlib
from pathlib import Path

import numpy as np

from ...core.arrays.avals import aval_of
from ...core.arrays.backend import find_backend, is_array
from ...core.errors import ShapeError, at_user_line
from ...core.trace.device import constant
from ...core.types import Any, PyTree
from ..arguments.arguments import flatten, settle
from .mesh import Mesh
from .placing import _along
from .specs import spec_leaves

_MANIFEST = "manifest.json"
_FORMAT = 1


def save(path: str | os.PathLike[str], tree: PyTree, mesh: Mesh, specs: PyTree, *, step: int = 0) -> None:
    """Write a pytree of local arrays to a folder, in place of what was saved there before.

    Args:
        path: a folder, on a disk that all ranks see.
        tree: local arrays, as `shard` gives them.
        mesh, specs: as for `shard`.
        step: a number that `load` returns.

    Each rank writes one npz file; then the first puts a new manifest in place of the old one, which is one operation of
    the file system: whenever a run is killed, the folder has one complete state.

    >>> import numpy as np, tempfile
    >>> import covector.distributed as dist
    >>> mesh = dist.Mesh((2,), ("data",))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dist.save(folder, {"w": np.ones(2)}, mesh, dist.P(), step=7)
    ...     dist.load(folder, {"w": np.zeros(2)}, mesh, dist.P())
    ({'w': array([1., 1.])}, 7)
    """
    folder = Path(path)
    leaves, _ = flatten(tree)
    leaves = [on_host(settle(x)) for x in leaves]
    found = spec_leaves(specs, tree, mesh, "the specs of save")
    name = mesh.agree(uuid.uuid4().hex[:12])
    target = folder / name
    target.mkdir(parents=True, exist_ok=True)
    mine: dict[str, Any] = {}
    for k, (x, spec) in enumerate(zip(leaves, found)):
        if all(mesh.coordinates[d] == 0 for d, axis in enumerate(mesh.axis_names) if axis not in spec.names):
            mine[f"{k}"] = np.frombuffer(np.ascontiguousarray(x).tobytes(), np.uint8)
    file = target / f"part-{mesh.rank:05d}.npz"
    with file.open("wb") as out:
        np.savez(out, **mine)
        out.flush()
        os.fsync(out.fileno())
    parts = mesh.collect({
        "file": file.name, "crc": zlib.crc32(file.read_bytes()),
        "leaves": {str(k): _place(x, spec, mesh)[0]
                   for k, (x, spec) in enumerate(zip(leaves, found)) if f"{k}" in mine}})
    if mesh.rank == 0:
        manifest = {
            "format": _FORMAT, "folder": name, "step": int(step), "parts": parts,
            "arrays": [{"shape": _place(x, spec, mesh)[1],
                        "dtype": x.dtype.str if x.dtype.kind != "V" else x.dtype.name}
                       for x, spec in zip(leaves, found)]}
        fresh = folder / f"{_MANIFEST}.{name}"
        with fresh.open("w", encoding="utf-8") as out:
            json.dump(manifest, out)
            out.flush()
            os.fsync(out.fileno())
        os.replace(fresh, folder / _MANIFEST)
        for old in folder.iterdir():
            if old.is_dir() and old.name != name and (old / "part-00000.npz").exists():
                shutil.rmtree(old, ignore_errors=True)
            elif old.name.startswith(f"{_MANIFEST}."):
                old.unlink(missing_ok=True)
    mesh.barrier()


def on_host(x):
    """The values of an array of any library, in the memory of the host."""
    return find_backend(type(x))[0].to_numpy(x) if is_array(x) else np.asarray(x)


def _place(x, spec, mesh):
    """`([(start, stop), …], whole shape)` of a local array."""
    index, shape = [], []
    for d, n in enumerate(x.shape):
        at, ranks = _along(spec.parts[d] if d < len(spec.parts) else (), mesh)
        index.append([at * n, (at + 1) * n])
        shape.append(n * ranks)
    return index, shape


def load(path: str | os.PathLike[str], like: PyTree, mesh: Mesh, specs: PyTree) -> tuple[PyTree, int]:
    """Read what `save` wrote, on this number of ranks or another.

    Args:
        path: the folder.
        like: a pytree of the same structure with local arrays (or `ShapeDtype`) of the shapes and dtypes expected.
        mesh, specs: how the arrays lie now.
    Returns:
        `(tree, step)`, with local arrays.
    Raises:
        FileNotFoundError: nothing was saved there.
        ShapeError: the arrays have other shapes or dtypes.
        ValueError: a file is damaged.

    >>> import numpy as np, tempfile
    >>> import covector.distributed as dist
    >>> mesh = dist.Mesh((2,), ("data",))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dist.save(folder, np.arange(3.0), mesh, dist.P())
    ...     dist.load(folder, np.zeros(3), mesh, dist.P())
    (array([0., 1., 2.]), 0)
    """
    folder = Path(path)
    try:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(f"load found no {_MANIFEST} in {folder}; save a state there first, or start from the "
                                f"beginning{at_user_line()}") from None
    leaves, rebuild = flatten(like)
    found = spec_leaves(specs, like, mesh, "the specs of load")
    arrays = manifest["arrays"]
    if len(arrays) != len(leaves):
        raise ShapeError(f"load was given a pytree of {len(leaves)} arrays, but {folder} has {len(arrays)}; give one "
                         f"like that which was saved{at_user_line()}")
    opened: dict[str, Any] = {}
    out = []
    for k, (x, spec, array) in enumerate(zip(leaves, found, arrays)):
        aval = x if hasattr(x, "shape") and hasattr(x, "dtype") else aval_of(x)
        want, whole = _place(np.broadcast_to(0, aval.shape), spec, mesh)
        dtype = np.dtype(aval.dtype)
        if whole != array["shape"] or array["dtype"] not in (dtype.str, dtype.name):
            raise ShapeError(f"load expects array {k} of shape {tuple(whole)} and dtype {dtype}, but {folder} has "
                             f"shape {tuple(array['shape'])} and dtype {array['dtype']}; load into what was saved"
                             f"{at_user_line()}")
        result = np.empty(aval.shape, dtype)
        for part in manifest["parts"]:
            place = part["leaves"].get(str(k))
            if place is None:
                continue
            common = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(want, place)]
            if any(a >= b for a, b in common):
                continue
            data = _opened(opened, folder / manifest["folder"], part)[str(k)].view(dtype)
            data = data.reshape([b - a for a, b in place])
            result[tuple([slice(a - w[0], b - w[0]) for (a, b), w in zip(common, want)])] = data[
                tuple([slice(a - p[0], b - p[0]) for (a, b), p in zip(common, place)])]
        out.append(constant(result, x))
    return rebuild(out), manifest["step"]


def _opened(opened, folder, part):
    """The arrays of a part, after a look that its file is as it was written."""
    found = opened.get(part["file"])
    if found is None:
        file = folder / part["file"]
        if zlib.crc32(file.read_bytes()) != part["crc"]:
            raise ValueError(f"{file} is not what was saved: its checksum differs; restore it, or load an older state"
                             f"{at_user_line()}")
        with np.load(file, allow_pickle=False) as data:
            found = opened[part["file"]] = {name: data[name] for name in data.files}
    return found

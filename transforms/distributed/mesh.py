"""A mesh: named axes of places, laid over the processes that MPI started, or all of them in this one."""

import json
import math
import os
from collections.abc import Sequence

import numpy as np

from ...core.checks import whole
from ...core.errors import ShapeError, at_user_line
from ...core.types import Any
from ..interpreters.mesh import mesh_trace
from ..ranks.device_group import TRANSPORTS, Devices, RoutedGroup
from ..ranks.mpi import end_together, load, started_together
from ..ranks.timeouts import Watch

_CHECKS = ("first", "always", "never")


class Mesh:
    """Named axes of places over the ranks of a communicator; on one process every place lies in it.

    Args:
        shape: the number of places along each axis.
        axis_names: one name per axis.
        comm: a communicator of mpi4py; by default that of all processes that `mpiexec` started. Its size divides the
            number of places: the ranks share out the first axes, and where they are fewer than places, each holds
            several neighbouring ones. One rank holds all of them.
        ordered: sum in the order of the ranks, so that each run on as many ranks has the same bits.
        accumulate: "float64" sums float32 and complex64 in double precision; None leaves them as they are.
        time_limit: seconds that a rank waits for others before it raises.
        device: the number of the GPU that this process uses; by default its number among the ranks of its machine,
            modulo the GPUs that it sees. It becomes the current one if CuPy is loaded.
        transport: None lets the arrays decide: those of NumPy travel over MPI, those of CuPy over NCCL. "nccl" refuses
            arrays of NumPy, "mpi" copies those of CuPy to the host and back.
        check: when ranks compare what collective each of them calls: "first" (the first time that a line calls it),
            "always" (for debugging), "never".
    Raises:
        ShapeError: the mesh does not fit the ranks.
        BackendError: there is no such device, or none at all for transport="nccl".
        MissingLibraryError: several processes were started, and mpi4py is not installed.

    All ranks must make the same meshes in the same order. From the first mesh of several ranks on, an exception that
    no one catches on one rank ends all of them.

    >>> import covector.distributed as dist
    >>> dist.Mesh((4,), ("data",))
    Mesh(data=4)
    """

    def __init__(
        self, shape: Sequence[int] | int, axis_names: Sequence[str] | str, comm: Any = None, *, ordered: bool = False,
        accumulate: str | None = None, time_limit: float = 600.0, check: str = "first",
        device: int | None = None, transport: str | None = None,
    ) -> None:
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        names = (axis_names,) if isinstance(axis_names, str) else tuple(axis_names)
        self.shape = tuple([whole(n, "a length in the shape of Mesh", 1) for n in sizes])
        self.axis_names = names
        if len(set(names)) != len(self.shape) or len(names) != len(self.shape):
            raise ShapeError(f"Mesh needs one name for each axis, all different, but got shape {self.shape} and names "
                             f"{names}; write Mesh((2, 2), ('data', 'model')){at_user_line()}")
        if check not in _CHECKS or accumulate not in (None, "float64"):
            raise ValueError(f"Mesh takes check= of {', '.join(_CHECKS)}, and accumulate= 'float64' or None, but got "
                             f"{check!r} and {accumulate!r}; choose one of those{at_user_line()}")
        if transport not in TRANSPORTS:
            raise ValueError(f"Mesh takes transport= of None, 'nccl' and 'mpi', but got {transport!r}; choose one of "
                             f"those{at_user_line()}")
        self._options = {"ordered": ordered, "wide": accumulate is not None, "check": check, "transport": transport}
        self.time_limit = float(os.environ.get("COVECTOR_TIME_LIMIT", time_limit))
        mpi = None
        if comm is None and started_together():
            mpi = load()
            comm = mpi.COMM_WORLD
        self.size = 1 if comm is None else comm.Get_size()
        self.rank = 0 if comm is None else comm.Get_rank()
        self.comm: Any = comm if self.size > 1 else None
        self._ranks = _laid(self.shape, self.axis_names, self.size)
        self._groups: dict[str, Any] = dict.fromkeys(names)
        self._watch: Any = None
        if self.comm is None:
            self._devices = Devices(device, None)
        else:
            mpi = mpi or load()
            end_together(self.comm)
            self._devices = Devices(device, self.comm.Split_type(mpi.COMM_TYPE_SHARED).Get_rank())
            if transport == "nccl":
                self._devices.require()
            self._connect(mpi)

    def __repr__(self) -> str:
        axes = ", ".join(f"{name}={n}" for name, n in zip(self.axis_names, self.shape))
        return f"Mesh({axes}" + (f"; rank {self.rank} of {self.size})" if self.size > 1 else ")")

    def _connect(self, mpi):
        """Make the communicators of each axis: one for data, one for what the ranks tell each other beside it."""
        before, self._watch = self._watch, Watch(self.comm.Dup(), mpi, self.time_limit)
        watch = self._watch
        watch.stale = [] if before is None else before.stale  # MPI may still write there
        watch.controls = {}
        for axis, name in enumerate(self.axis_names):
            if self._ranks[axis] == 1:
                continue
            at = list(self.coordinates)
            at[axis] = 0
            # Ranks that differ along this axis alone share a color, and so a communicator.
            color = sum(c * math.prod(self._ranks[d + 1 :]) for d, c in enumerate(at))
            data = self.comm.Split(color, self.coordinates[axis])
            # Notes travel beside the data, in a communicator of their own, so that neither receives the other's
            # messages.
            watch.controls[name] = data.Dup()
            if self._groups[name] is None:
                self._groups[name] = RoutedGroup(data, name, watch, self._devices, **self._options)
            else:  # compiled functions have it: they go on, too
                RoutedGroup.__init__(self._groups[name], data, name, watch, self._devices, **self._options)
            watch.groups.append(self._groups[name])

    @property
    def coordinates(self) -> tuple[int, ...]:
        """The coordinates of this rank along each axis of ranks."""
        at, rest = [], self.rank
        for n in reversed(self._ranks):
            at.append(rest % n)
            rest //= n
        return tuple(reversed(at))

    @property
    def device(self) -> int | None:
        """The GPU that this process uses; None without CuPy, or without one."""
        return self._devices.number()

    @property
    def local_shape(self) -> tuple[int, ...]:
        """The number of places along each axis that lie in this process."""
        return tuple([n // r for n, r in zip(self.shape, self._ranks)])

    def axis(self, name: str) -> int:
        """The position of an axis."""
        if name not in self.axis_names:
            raise NameError(f"the mesh has no axis named {name!r}; its axes are {', '.join(map(repr, self.axis_names))}"
                            f": name one of those in the specs{at_user_line()}")
        return self.axis_names.index(name)

    def group(self, name):
        """The ranks along an axis, None where all its places lie here."""
        return self._groups[name]

    def trace(self, name):
        """A new trace of an axis."""
        k = self.axis(name)
        here = self.local_shape[k]
        return mesh_trace(here, name, (self._groups[name], self.shape[k], self.coordinates[k] * here))

    def barrier(self) -> None:
        """Wait until every rank is here."""
        if self.comm is not None:
            for group in self._groups.values():
                if group is not None:
                    group.barrier()

    def collect(self, value: Any) -> list[Any]:
        """Values of JSON from every rank, in their order, on every rank."""
        if self.comm is None:
            return [value]
        text = np.frombuffer(json.dumps(value).encode(), np.uint8)
        found = [(text, np.array([len(text)]))]
        for name in reversed(self.axis_names):
            group = self._groups[name]
            if group is None:
                continue
            widths = group.gather(np.array([sum(len(t) for t, _ in found), len(found)]), "collect")
            width = int(widths[:, 0].max())
            joined = np.zeros(width, np.uint8)
            whole_text = np.concatenate([t for t, _ in found])
            joined[: len(whole_text)] = whole_text
            lengths = group.gather(np.array([len(t) for t, _ in found]), "collect")
            texts = group.gather(joined, "collect")
            found = []
            for row, sizes in zip(texts, lengths):
                at = 0
                for n in sizes:
                    found.append((row[at : at + n], np.array([n])))
                    at += n
        return [json.loads(t.tobytes().decode()) for t, _ in found]

    def agree(self, value: Any) -> Any:
        """The value of the first rank, on every rank."""
        return self.collect(value)[0]

    def reconnect(self) -> None:
        """Make new communicators, on all ranks, after an error in a collective that all of them caught."""
        if self.comm is not None:
            for group in self._watch.groups:
                group.close()
            self._connect(self._watch.mpi)


def _laid(shape, names, size):
    """The number of ranks along each axis: as many as fit the first ones."""
    ranks, rest = [], size
    for n in shape:
        along = math.gcd(n, rest)
        ranks.append(along)
        rest //= along
    if rest != 1:
        axes = ", ".join(f"{name}={n}" for name, n in zip(names, shape))
        raise ShapeError(f"a mesh of {math.prod(shape)} places ({axes}) does not fit {size} ranks: they must divide "
                         f"its axes; start mpiexec -n {math.prod(shape)}, or choose another shape{at_user_line()}")
    return tuple(ranks)



"""The ranks along a mesh axis for arrays of any library, dispatched to host or device collectives."""

import numpy as np

from ...core.arrays.backend import find_backend
from ...core.errors import BackendError, at_user_line
from .device_group import DeviceGroup
from .group import Group

ndarray = np.ndarray
TRANSPORTS = (None, "nccl", "mpi")


class RoutedGroup(Group):
    """The ranks along one axis: arrays of NumPy go over MPI, those on devices over NCCL.

    With the transport "mpi" the latter are copied to the host, and back; with "nccl" the former are refused. `devices`
    says which ones this process uses.
    """

    def __init__(self, comm, axis, watch, devices, *, transport=None, **options):
        super().__init__(comm, axis, watch, **options)
        self.transport, self.devices = transport, devices
        self.roads = {}  # name of a library -> DeviceGroup

    def road(self, x, name):
        """The carrier of an array on a device from rank to rank; None for MPI."""
        found = None if isinstance(x, ndarray) else find_backend(type(x))
        if found is None or found[0].carrier is None:
            if self.transport == "nccl" and isinstance(x, ndarray) and x.ndim and name != "collect":
                raise BackendError(f"a collective over {self.axis!r} of a mesh with transport='nccl' got an array of "
                                   f"NumPy of shape {x.shape}, and nothing is moved between devices silently; convert "
                                   "it with cupy.asarray, or let the arrays decide with Mesh(…, transport=None)"
                                   f"{at_user_line()}")
            return None
        backend, xp = found
        road = self.roads.get(backend.name)
        if road is None:
            if self.transport == "mpi":
                road = _Copied(self, backend, xp)
            else:
                road = DeviceGroup(self, backend, xp, *self.devices.of(backend, xp))
            self.roads[backend.name] = road
        return road

    def close(self):
        """End the communicators of devices."""
        for road in self.roads.values():
            road.close()
        self.roads.clear()


def _routed(method):
    """A collective that an array on a device takes by its own road."""
    by_mpi = getattr(Group, method)

    def run(self, x, *rest):
        if type(x) is ndarray and self.transport != "nccl":
            return by_mpi(self, x, *rest)
        road = self.road(x, rest[0] if rest else method)
        return by_mpi(self, x, *rest) if road is None else getattr(road, method)(x, *rest)

    run.__doc__ = by_mpi.__doc__
    return run


for _method in ("sum", "extreme", "gather", "scatter", "exchange", "shift", "broadcast", "start_sum"):
    setattr(RoutedGroup, _method, _routed(_method))


class _Copied:
    """Arrays on devices, of which MPI carries copies in the memory of the host."""

    def __init__(self, group, backend, xp):
        self.group, self.backend, self.xp = group, backend, xp

    def __getattr__(self, method):
        by_mpi = getattr(Group, method)

        def run(x, *rest):
            found = by_mpi(self.group, self.backend.to_numpy(x), *rest)
            return (lambda: self.xp.asarray(found())) if callable(found) else self.xp.asarray(found)

        return run

    def close(self):
        """Nothing is kept."""


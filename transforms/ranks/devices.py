"""The device of a process in a mesh: the one whose number is its local rank."""

import sys

from ...core.arrays.backend import BACKENDS
from ...core.errors import BackendError, at_user_line


class Devices:
    """The devices that this process uses, one of each library that has any and is loaded.

    Args:
        given: the number of the device, None to count.
        local_rank: the number of this process among those of its machine; None where it is the only one of the mesh,
            and keeps the device that it has.
    """

    def __init__(self, given, local_rank):
        self.given, self.local_rank = given, local_rank
        self.chosen = {}  # name of a library -> (carrier, device)
        for backend in BACKENDS.values():
            if backend.carrier is not None and backend.module in sys.modules:
                carrier, device = self.of(backend, sys.modules[backend.module])
                if device is not None:
                    carrier.use(device)

    def of(self, backend, module):
        """`(carrier, device)` of a loaded library."""
        found = self.chosen.get(backend.name)
        if found is None:
            carrier = backend.carrier(module)
            found = self.chosen[backend.name] = carrier, self._counted(carrier)
        return found

    def _counted(self, carrier):
        count = carrier.devices()
        if self.given is not None and not 0 <= self.given < count:
            raise BackendError(f"Mesh was given device={self.given}, but this process sees {count} devices; choose one "
                               f"from 0 on, or leave it out{at_user_line()}")
        if not count:
            return None
        if self.given is not None:
            return self.given
        return carrier.current() if self.local_rank is None else self.local_rank % count

    def require(self):
        """Raise unless a library with devices is loaded, and something carries its arrays."""
        if not self.chosen:
            raise BackendError("Mesh was given transport='nccl', but no library of arrays on devices is loaded; import "
                               f"CuPy before the mesh is made, or leave transport out{at_user_line()}")
        for carrier, _ in self.chosen.values():
            carrier.start()

    def number(self):
        """The device of the first library that has any, else None."""
        return next((device for _, device in self.chosen.values() if device is not None), None)

"""Generators of random numbers: streams of our own, with seeds and states."""

import contextlib

import numpy as np

from ..types.devices import checked, count
from ..types.size import device as Device
from ..types.tensor_type import TensorBase, bottom, wrap


class Generator:
    """A stream of random numbers with a seed and a state.

    >>> import covector.compat.torch as torch
    >>> g = torch.Generator().manual_seed(3)
    >>> a = torch.rand(2, generator=g)
    >>> torch.equal(a, torch.rand(2, generator=g.manual_seed(3)))
    True
    """

    def __init__(self, device=None):
        self.device = Device("cpu" if device is None else device)
        if self.device.type == "cuda":
            if not count():
                raise RuntimeError("torch.Generator('cuda'): there is no such device, and random numbers of "
                                   "covector.compat.torch come from generators of the CPU; leave the device out")
            self.device = checked(self.device)  # its numbers are drawn on the host, and moved
        self._seed = 67280421310721
        self.stream = np.random.Generator(np.random.PCG64(self._seed))

    def manual_seed(self, seed):
        """Start anew from a seed."""
        if not isinstance(seed, int | np.integer | TensorBase) or isinstance(seed, bool):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        self._seed = int(seed)
        if not -(2**63) <= self._seed < 2**64:
            raise ValueError(f"Overflow when unpacking long long: the seed {self._seed} has more than 64 bits")
        self.stream = np.random.Generator(np.random.PCG64(self._seed % 2**64))
        return self

    def seed(self):
        """Start anew from a seed of the system's."""
        fresh = int(np.random.SeedSequence().entropy % 2**63)
        self.manual_seed(fresh)
        return fresh

    def initial_seed(self):
        """The seed it started from."""
        return self._seed

    def get_state(self):
        """The state as a tensor of bytes."""
        state = self.stream.bit_generator.state
        numbers = [state["state"]["state"], state["state"]["inc"], state["has_uint32"], state["uinteger"],
                   self._seed % 2**64]
        data = b"".join(int(n).to_bytes(16, "little") for n in numbers)
        return wrap(np.frombuffer(data, np.uint8).copy())

    def set_state(self, state):
        """Go on from a state that `get_state` gave."""
        if not isinstance(state, TensorBase):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(state).__name__}")
        value = bottom(state)
        if value.dtype != np.uint8 or value.shape != (80,):
            raise TypeError("RNG state must be a torch.ByteTensor of 80 elements, as get_state gives it; got shape "
                            f"{list(value.shape)} of {value.dtype}")
        data = value.tobytes()
        a, b, c, d, seed = (int.from_bytes(data[i : i + 16], "little") for i in range(0, 80, 16))
        self._seed = seed
        self.stream.bit_generator.state = {"bit_generator": "PCG64", "state": {"state": a, "inc": b}, "has_uint32": c,
                                           "uinteger": d}
        return self

    def clone_state(self):
        """A generator of its own in the same state."""
        return Generator(self.device).set_state(self.get_state())


default_generator = Generator()


def manual_seed(seed):
    """Seed the default generator."""
    return default_generator.manual_seed(int(seed))


def seed():
    """Seed the default generator from the system."""
    return default_generator.seed()


def initial_seed():
    """The default generator's seed."""
    return default_generator.initial_seed()


def get_rng_state():
    """The default generator's state."""
    return default_generator.get_state()


def set_rng_state(new_state):
    """Set the default generator's state."""
    default_generator.set_state(new_state)


def stream(generator):
    """NumPy's generator."""
    if generator is None:
        return default_generator.stream
    if not isinstance(generator, Generator):
        raise TypeError(f"argument 'generator' must be torch.Generator, not {type(generator).__name__}")
    return generator.stream


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, device_type="cuda"):
    """Put the default generator's state back when the context ends.

    >>> import covector.compat.torch as torch
    >>> with torch.random.fork_rng():
    ...     a = torch.rand(2)
    >>> torch.equal(a, torch.rand(2))
    True
    """
    if devices and not count():
        raise NotImplementedError(f"fork_rng was given the devices {devices}, but there are none, and "
                                  "random numbers of covector.compat.torch come from the CPU's generator; leave them "
                                  "out")
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)

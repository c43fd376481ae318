"""torch.random."""

from ._impl.dispatch import surface as _surface
from ._impl.random.generator import (
    Generator as Generator,
    default_generator as default_generator,
    fork_rng as fork_rng,
    get_rng_state as get_rng_state,
    initial_seed as initial_seed,
    manual_seed as manual_seed,
    seed as seed,
    set_rng_state as set_rng_state,
)

__getattr__ = _surface.getter("random.", "torch.random")

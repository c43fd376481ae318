"""Optimizers as pairs of pure functions, `init` and `update`, in the style of optax, and schedules."""

from .lbfgs import lbfgs as lbfgs
from .optimizer import (
    Optimizer as Optimizer,
    apply_updates as apply_updates,
    chain as chain,
    clip as clip,
    clip_by_global_norm as clip_by_global_norm,
    global_norm as global_norm,
)
from .schedules import (
    cosine_decay_schedule as cosine_decay_schedule,
    exponential_decay as exponential_decay,
    linear_schedule as linear_schedule,
    warmup_cosine_decay_schedule as warmup_cosine_decay_schedule,
)
from .updates import adam as adam, adamw as adamw, lion as lion, rmsprop as rmsprop, sgd as sgd

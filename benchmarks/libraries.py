"""Finds the libraries that covector is compared with; one that is missing is None."""

import importlib
import sys
from types import ModuleType


def _find(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"benchmarks: {name} is not installed, ITS COLUMNS ARE LEFT OUT", file=sys.stderr)
        return None


torch = _find("torch")
autograd = _find("autograd")
autograd_numpy = _find("autograd.numpy") if autograd else None

jax = _find("jax")

if jax is not None:
    jax.config.update("jax_enable_x64", True)
if torch is not None:
    torch.set_num_threads(1)

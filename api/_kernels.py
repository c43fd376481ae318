"""Kernel writers for devices, for `covector.compat` alone."""

from .core.lazy import LazyModule
from .core.types import Any

cuda_text: Any = LazyModule("covector.transforms.compile.call.launch_plan")

"""Determinism, and the precision of products: operations here are deterministic, and as precise as their dtype."""

import warnings


class Asked:
    """Requested settings of determinism and precision."""

    deterministic = warn_only = False
    precision = "highest"


def use_deterministic_algorithms(mode, *, warn_only=False):
    """Ask for deterministic operations, which those here are anyway."""
    if not isinstance(mode, bool):
        raise TypeError("_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not "
                        f"{type(mode).__name__}")
    Asked.deterministic, Asked.warn_only = bool(mode), bool(warn_only)


def are_deterministic_algorithms_enabled():
    """Tell whether deterministic operations were asked for."""
    return Asked.deterministic


def is_deterministic_algorithms_warn_only_enabled():
    """Tell whether they were asked for with `warn_only`."""
    return Asked.warn_only


def set_deterministic_debug_mode(debug_mode):
    """Ask for deterministic operations: 0 or "default", 1 or "warn", 2 or "error"."""
    levels = {"default": 0, "warn": 1, "error": 2, 0: 0, 1: 1, 2: 2}
    if debug_mode not in levels:
        raise RuntimeError("invalid value of debug_mode, expected one of `default`, `warn`, `error`, "
                           f"but got {debug_mode}")
    level = levels[debug_mode]
    use_deterministic_algorithms(level > 0, warn_only=level == 1)


def get_deterministic_debug_mode():
    """The mode that `set_deterministic_debug_mode` would set: 0, 1 or 2."""
    return (1 if Asked.warn_only else 2) if Asked.deterministic else 0


def set_float32_matmul_precision(precision):
    """Allow products of float32 in a smaller precision, which those here are never computed in."""
    if precision not in ("highest", "high", "medium"):
        warnings.warn(f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
                      "setFloat32MatmulPrecision call has no effect.", UserWarning, stacklevel=2)
        return
    Asked.precision = precision


def get_float32_matmul_precision():
    """The allowed precision: "highest" at first."""
    return Asked.precision

"""Counting the mutants of rules that `check` notices."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from covector.core.primitive.primitive import REGISTRY
from covector.core.progress import with_progress
from covector.testing.cases import find
from covector.testing.check import check
from covector.testing.compare import CheckError
from rig.mutations import mutants


class Report(NamedTuple):
    """What became of the mutants."""

    killed: int
    total: int
    survivors: list[str]
    equivalent: list[str]
    unreached: list[str]


def run_mutants(
    primitives: Sequence[Any] | None = None, *, every: int = 1, seed: int = 0,
    progress: bool | Callable[[int, int], Any] | None = None,
) -> Report:
    """Break each rule of each primitive in turn and count the mutants that `check` detects.

    Changes: sign flipped, zero, scaled by 1.0005, conjugated, un-broadcast dropped, the rules of two operands swapped;
    for batching rules also examples rotated. A surviving mutant that returns bitwise the same results in every call
    of the check is equivalent and does not count: conjugating a real rule, swapping the two rules of `add`.
    Neither does a rule for plain operands that the primitive's fast path never uses (those of singular primitives).

    Args:
        primitives: functions, names or Primitives; all registered ones by default.
        every: test only every n-th mutant of a primitive.
        seed: as for `check`.
        progress: True shows how many primitives are done; or a function of their number and that of all.
    Returns:
        a record with `killed`, `total`, the `survivors` as strings, and those excluded: `equivalent` and `unreached`.
    """
    killed = total = 0
    left: dict[str, list[str]] = {"survived": [], "equivalent": [], "unreached": []}
    chosen = list(REGISTRY.values() if primitives is None else map(find, primitives))
    for prim in with_progress(chosen, progress, "mutants"):
        if prim.handlers is not None:
            continue
        for mutant in list(mutants(prim))[::every]:
            try:
                check(mutant.twin, seed=seed)
            except (CheckError, np.linalg.LinAlgError):  # rules of matrices refuse cotangents that cannot be
                killed += 1
                total += 1
                continue
            except Exception:
                if not mutant.crash_counts:
                    raise
                killed += 1
                total += 1
                continue
            left[mutant.verdict()].append(str(mutant))
    survivors = left["survived"]
    return Report(killed, total + len(survivors), survivors, left["equivalent"], left["unreached"])

"""Runs the benchmark: checks that all sides agree, times them, writes JSON.

python benchmarks/run.py                       all rows, results to benchmarks/results.json
python benchmarks/run.py --quick --check-values    agreement only, small sizes, for CI
python benchmarks/run.py --only chain          one row, printed and not written
python benchmarks/run.py --only 'jit-*'        the rows of covector.jit
COVECTOR_PRINTER=llvm python benchmarks/run.py --only 'jit-*'    the same in native code
python benchmarks/run.py --only 'mode-*'       compat.torch in every mode; 'modules-*': layers; 'kernel-*': operations
python benchmarks/run.py --only 'ordinary-*'   single operations on small and on larger arrays
python benchmarks/run.py --profile chain       where covector's time goes in it
"""

import argparse
import cProfile
import importlib
import json
import pstats
import sys
import traceback
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any

import environment

SUBJECTS = (
    "chain",
    "fixed_cost",
    "rosenbrock",
    "mlp_steps",
    "rk4",
    "dense_jacobian",
    "tape_memory",
    "dispatch",
    "footprint",
    "stateful",
    "recurrent",
    "logistic",
    "elementwise",
    "factorizations",
    "eager_paths",
    "compat_functional",
    "compat_operations",
    "indexing",
    "mixture",
    "convolution",
    "mlp_hessian",
    "compiled",
    "small_states",
    "gradbench",
)
# 500 rows, which are run where their names are asked for.
NAMED = ("modes", "modules", "kernels", "ordinary", "nested_descents")
PROFILE_SECONDS = 3.0


def main() -> int:
    options = _options()
    environment.single_thread(options.core)
    # Only now: these modules load NumPy and PyTorch, which read the thread limits at that time.
    case, table, timing = (importlib.import_module(n) for n in ("case", "table", "timing"))
    facts = environment.describe()
    cases = _all_cases(SUBJECTS)
    if options.only is not None:
        cases = [c for c in cases + _all_cases(NAMED) if fnmatch(c.name, options.only)]
    if options.profile is not None:
        return _profile(_named(cases, options.profile))
    rows, wrong = [], []
    for each in cases:
        try:
            error = case.disagreement(each) if isinstance(each, case.Timed) else None
            if not error and not options.check_values:
                rows.append(_row(each, options.quick, case, timing))
                print(_report(rows[-1]), flush=True)
        except Exception:  # one row that fails must not hide the others
            error = f"{each.name}: {traceback.format_exc()}"
        if error:
            wrong.append(each.name)
            print(error, file=sys.stderr, flush=True)
        elif isinstance(each, case.Timed):
            print(f"{each.name}: values agree", file=sys.stderr, flush=True)
    facts["load_average_after"] = environment.describe()["load_average"]
    if not options.check_values and options.only is None:
        results = {"environment": facts, "quick": options.quick, "rows": rows}
        options.json.write_text(json.dumps(results, indent=1) + "\n")
        if options.write_tables:
            table.write(results)
    missed = [row["name"] for row in rows if not all(b["holds"] for b in row["bounds"])]
    timed = "none were timed" if options.check_values else f"bounds missed: {missed or 'none'}"
    print(f"{len(cases)} rows, failing: {wrong or 'none'}, {timed}")
    return 1 if wrong or (options.enforce and missed) else 0


def _row(each: Any, quick: bool, case: ModuleType, timing: ModuleType) -> dict[str, Any]:
    if isinstance(each, case.Timed):
        rounds, budget = (5, 0.5) if quick else (61, 12.0)
        samples = timing.interleave(each.sides, rounds, budget)
        times = {side: timing.summary(taken, each.per) for side, taken in samples.items()}
        ours = samples[case.COVECTOR]
        ratios = {s: timing.ratio(ours, t) for s, t in samples.items() if s != case.COVECTOR}
        figure, unit, facts = times[case.COVECTOR]["median_us"], "µs", times
    else:
        figure, facts = each.measure(quick)
        unit, ratios = each.unit, {}
    bounds = [
        {"limit": b.limit, "against": b.against, "measured": measured, "holds": measured <= b.limit}
        for b in each.bounds
        for measured in [figure if b.against is None else ratios.get(b.against)]
        if measured is not None
    ]
    return {
        "name": each.name,
        "title": each.title,
        "note": each.note,
        "figure": figure,
        "unit": unit,
        "ratios": ratios,
        "bounds": bounds,
        "facts": facts,
    }


def _report(row: dict[str, Any]) -> str:
    ratios = ", ".join(f"{value:.3f} x {side}" for side, value in row["ratios"].items())
    missed = [b for b in row["bounds"] if not b["holds"]]
    verdict = "".join(f"  MISSED {b['limit']} x {b['against'] or row['unit']}" for b in missed)
    return f"{row['name']:20} {row['figure']:10.3f} {row['unit']:3} {ratios}{verdict}"


def _profile(each: Any) -> int:
    run = each.sides["covector"]
    run()
    profile = cProfile.Profile()
    start, calls = perf_counter(), 0
    with profile:
        while perf_counter() - start < PROFILE_SECONDS:
            run()
            calls += 1
    print(f"{each.name}: {calls} calls under cProfile, which slows small functions most")
    pstats.Stats(profile).strip_dirs().sort_stats("tottime").print_stats(30)
    return 0


def _all_cases(subjects: Sequence[str]) -> list[Any]:
    return [c for name in subjects for c in importlib.import_module(name).cases()]


def _named(cases: list[Any], name: str) -> Any:
    for each in cases:
        if each.name == name and hasattr(each, "sides"):
            return each
    timed = ", ".join(each.name for each in cases if hasattr(each, "sides"))
    raise SystemExit(f"--profile got {name!r}; timed rows are {timed}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few repetitions, short tape")
    parser.add_argument("--check-values", action="store_true", help="compare the sides, time none")
    parser.add_argument("--only", metavar="NAME", help="run this row alone; * stands for anything")
    parser.add_argument("--profile", metavar="NAME", help="profile covector's side of this row")
    parser.add_argument("--enforce", action="store_true", help="exit with 1 if a bound is missed")
    parser.add_argument("--core", type=int, help="pin the process to this core (Linux)")
    parser.add_argument("--json", type=Path, default=Path(__file__).parent / "results.json")
    parser.add_argument("--write-tables", action="store_true", help="write the tables of README and docs, too")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

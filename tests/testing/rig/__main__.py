"""The command line: `python -m rig audit | mutants | fuzz | mixed | compiled`."""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

from rig.audit import audit, holes, show
from rig.compiled import compiled_fuzz
from rig.fuzz import OURS, fuzz
from rig.mixed import mixed_fuzz
from rig.mutants import run_mutants
from rig.programs import count_operations


def main(arguments: list[str] | None = None) -> int:
    """Run one of the checkers; 0 if all is well."""
    parser = argparse.ArgumentParser(prog="python -m rig")
    commands = parser.add_subparsers(dest="command", required=True)
    table = commands.add_parser("audit", help="which primitive has which rules and samples")
    table.add_argument("--json", action="store_true")
    broken = commands.add_parser("mutants", help="break each rule and count what check notices")
    broken.add_argument("primitives", nargs="*")
    for name, what in (("fuzz", "by independent routes"), ("mixed", "on mixed dtypes, compiled in every way"),
                       ("compiled", "as compiled graphs, bit by bit")):
        random = commands.add_parser(name, help=f"random programs {what}")
        random.add_argument("--programs", type=int, default=1000)
        random.add_argument("--seed", type=int, default=0)
        random.add_argument("--start", type=int, default=0, help="number of the first program")
    for command in commands.choices.values():
        command.add_argument("--progress", action="store_true", help="show how much is done, on standard error")
    options = parser.parse_args(arguments)
    run = {"audit": _audit, "mutants": _mutants, "fuzz": _fuzz, "mixed": _mixed, "compiled": _compiled}
    return run[options.command](options)


def _audit(options: argparse.Namespace) -> int:
    found = audit(progress=options.progress)
    print(show(found, options.json))
    return 1 if holes(found) else 0


def _mutants(options: argparse.Namespace) -> int:
    report = run_mutants(options.primitives or None, progress=options.progress)
    print(f"killed {report.killed} of {report.total}; equivalent {len(report.equivalent)}, "
          f"unreached {len(report.unreached)}")
    print("\n".join(report.survivors))
    return 1 if report.survivors else 0


def _fuzz(options: argparse.Namespace) -> int:
    found = fuzz(options.programs, options.seed, options.start, progress=options.progress)
    print("\n".join(map(str, found)))
    last = options.start + options.programs - 1
    drawn = count_operations(OURS, options.programs, options.seed, options.start)
    print(f"seed {options.seed}, programs {options.start} to {last}, {len(drawn)} distinct operations: "
          f"{len(found)} mismatches")
    return 1 if found else 0


def _mixed(options: argparse.Namespace) -> int:
    return _differences(mixed_fuzz, options)


def _compiled(options: argparse.Namespace) -> int:
    return _differences(compiled_fuzz, options)


def _differences(fuzzed: Callable[..., Sequence[Any]], options: argparse.Namespace) -> int:
    found = fuzzed(options.programs, options.seed, options.start, progress=options.progress)
    print("\n".join(map(str, found)))
    print(f"seed {options.seed}, programs {options.start} to {options.start + options.programs - 1}: "
          f"{len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""The fast road against the general one, bit for bit: random programs in this process, and in one without a fast road.

COVECTOR_COMPAT_PROGRAMS=2000 COVECTOR_COMPAT_START=0 pytest tests/compat/test_roads.py
"""

import importlib.util
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import test_fuzz
import test_views_in_modes

import covector.compat.torch as torch

FOLDER = Path(__file__).parent
PROGRAMS = int(os.environ.get("COVECTOR_COMPAT_PROGRAMS", "20"))
START = int(os.environ.get("COVECTOR_COMPAT_START", "0"))


def eager(seed):
    """Views, writes, modes, hooks, Functions: values, histories, gradients of first and second order."""
    yield "eager", lambda: test_fuzz.Program(seed).run(torch)


def written(seed):
    """Views and writes in each mode."""
    for mode in test_views_in_modes.MODES:
        def run(mode=mode):
            log = []
            return mode(torch, seed, log), log

        yield mode.__name__, run


def nested(seed):
    """Transforms of `torch.func`, in one another, and dual tensors."""
    spec = importlib.util.spec_from_file_location("fuzz_of_levels", FOLDER / "func" / "test_fuzz.py")
    levels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(levels)
    for name, shape in (("STEPS", (3,)), ("MATRICES", (2, 3))):
        family = vars(levels)[name]
        steps, transforms, x, c, backward = levels.program(seed, family, shape)
        yield f"{name} nested", lambda: levels.answers(torch, family, steps, transforms, x, c, backward)
        yield f"{name} dual", lambda: levels.pushed(torch, family, steps, x, c, seed % 2, seed % 3 == 0, seed % 5 == 0)


def answers(kind):
    """The answers of each program when it runs for the first and for the third time, as text."""
    found = {}
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64 if kind == "nested" else before)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for seed in range(START, START + PROGRAMS):
                for name, run in KINDS[kind](seed):
                    found[f"{seed} {name}"] = [shown(run) for _ in range(3)][::2]
    finally:
        torch.set_default_dtype(before)
    return found


def shown(run):
    """An answer as text, floats with all their digits; of an error its type."""
    try:
        return repr(plain(run()))
    except Exception as error:
        return type(error).__name__


def plain(x):
    """An answer without arrays and tensors."""
    if isinstance(x, list | tuple):
        return [plain(y) for y in x]
    return {k: plain(v) for k, v in x.items()} if isinstance(x, dict) else x.tolist() if hasattr(x, "tolist") else x


KINDS = {"eager": eager, "written": written, "nested": nested}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_random_programs_have_the_same_bits_on_both_roads(kind):
    code = ("import sys, json; sys.path[:0] = sys.argv[2:]; import test_roads; "
            "print(json.dumps(test_roads.answers(sys.argv[1])))")
    run = subprocess.run([sys.executable, "-W", "ignore", "-c", code, kind, str(FOLDER), str(FOLDER.parent)],
                         capture_output=True, text=True, check=True, env=os.environ | {"COVECTOR_ROADS": "general"})
    general, ours = json.loads(run.stdout.splitlines()[-1]), answers(kind)
    assert ours.keys() == general.keys()
    assert [name for name in ours if len({*ours[name], *general[name]}) > 1] == []

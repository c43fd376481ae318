"""The largest error of functions of single precision over all 2³² arguments, against NumPy's in double precision.

Run `python benchmarks/maths/every_float.py [NAME ...]`. NumPy's error of an ulp of double precision is 2 ** -29 here.
"""

import json
import sys
from pathlib import Path

import numpy as np
from llvm_lanes import compiled

from covector.transforms.compile.maths import FUNCTIONS

CHUNK = 1 << 17
RESULTS = Path(__file__).with_name("every_float.json")


def largest(name):
    """The largest error in ulp, and where."""
    run, oracle = compiled(FUNCTIONS[name], 32, 1), getattr(np, name)
    worst, at = 0.0, 0.0
    bits = np.arange(CHUNK, dtype=np.uint32)
    for start in range(0, 1 << 32, CHUNK):
        x = (bits + np.uint32(start)).view(np.float32)
        got, true = run(x), oracle(x.astype(np.float64))
        near = true.astype(np.float32)
        different = got != near
        different &= ~(np.isnan(got) & np.isnan(near))
        if different.any():
            got, true, near, x = got[different], true[different], near[different], x[different]
            error = abs(got - true) / np.spacing(abs(np.nextafter(near, np.float32(0))))
            found = int(np.nanargmax(np.where(np.isnan(error), np.inf, error)))
            if not error[found] <= worst:
                worst, at = float(error[found]), float(x[found])
    return {"ulp": round(worst, 4), "at": at}


def main():
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    with np.errstate(all="ignore"):
        for name in sys.argv[1:] or ["exp", "log", "log1p", "sin", "cos"]:
            results[name] = largest(name)
            print(name, results[name], flush=True)
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()

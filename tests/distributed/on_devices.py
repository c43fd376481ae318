"""The programs of this folder with arrays of CuPy: `on_devices.py OUT [FOLDER] [--real] [--float64]`.

Without --real they run on the stand-in; with --float64 only those in that dtype. It saves what `programs.py` gives, or
with a folder what `helpers.py` gives, as NumPy's arrays.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "backends")]


def cupy_or_stand_in(real="--real" in sys.argv, **options):
    if real:
        import cupy

        return cupy
    import several_devices

    return several_devices.install(**options)


if __name__ == "__main__":
    cupy = cupy_or_stand_in()
    import helpers
    import programs

    out, *folder = [argument for argument in sys.argv[1:] if argument[:2] != "--"]
    if folder:
        helpers.main(out, *folder, cupy)
    else:
        programs.main(out, False, cupy, "--float64" in sys.argv)
    if "--real" not in sys.argv:
        from collections import Counter

        from several_devices import CALLS

        sys.stdout.write(f"{dict(Counter(name.split()[-1] for name in CALLS))}\n")

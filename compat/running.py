"""What `python -m covector.compat.…` does: a script or a module runs where another library's name is ours."""

import os
import runpy
import sys


def run_given(install, doc):
    """Install, then run the script or module that the arguments of the process name; `doc` says how to call it."""
    given = sys.argv[1:]
    if not given or given[0] in ("-h", "--help") or given == ["-m"]:
        sys.stdout.write(f"{doc.strip()}\n")
        raise SystemExit(0 if given and given[0] != "-m" else 2)
    install()
    if given[0] == "-m":
        sys.argv = given[1:]
        runpy.run_module(given[1], run_name="__main__", alter_sys=True)
        return
    if not os.path.exists(given[0]):
        raise SystemExit(f"{given[0]}: there is no such script")
    sys.argv = given
    sys.path.insert(0, os.path.dirname(os.path.abspath(given[0])))
    runpy.run_path(given[0], run_name="__main__")

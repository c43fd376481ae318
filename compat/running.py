"""`python -m covector.compat.…`: run a script or a module with another library's name bound to ours."""

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
        sys.argv = Arguments(given[1:], install)
        runpy.run_module(given[1], run_name="__main__", alter_sys=True)
        return
    if not os.path.exists(given[0]):
        raise SystemExit(f"{given[0]}: there is no such script")
    sys.argv = Arguments(given, install)
    sys.path.insert(0, os.path.dirname(os.path.abspath(given[0])))
    runpy.run_path(given[0], run_name="__main__")


class Arguments(list):
    """The arguments of a process in which a name is ours: wherever they are unpickled it is ours from then on.

    `multiprocessing` sends them to each process that starts anew ("spawn", "forkserver"), before all else.
    """

    def __init__(self, given, install):
        super().__init__(given)
        self.install = install

    def __reduce__(self):
        return resumed, (list(self), self.install)


def resumed(given, install):
    """The arguments in a new process, where the name is ours now."""
    install()
    return Arguments(given, install)

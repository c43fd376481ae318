"""Functions of generated source: tracebacks show its lines, and errors name the user's line."""

import contextlib
import itertools
import linecache
import os
import weakref

from ....core.arrays.fp_warnings import PROGRAMS, enter_reporting, error_state, leave_error_state
from ..analysis.liveness import make_frame

MISS = object()  # what a quick way of a call gives for one that is not of its signature
_numbers = itertools.count(1)
_FOLDER = os.path.dirname(os.path.abspath(__file__))
_DEAD = []  # files of programs that nobody has any more


def note_line(error):
    """Add to an error that a program raised where the user asked for the operation; tell what fits no 64 bits."""
    entry = error.__traceback__
    while entry is not None:
        lines = PROGRAMS.get(entry.tb_frame.f_code.co_filename)
        line = lines and lines[entry.tb_lineno - 1]
        if line:
            error.add_note(f"(in a compiled function: asked for at {line})")
            if type(error) is OverflowError:
                error.args = (f"jit computes Python numbers in 64 bits, but one of them or a result is beyond: "
                              f"{error}; pass it as a float, or make it a static argument (at {line})",)
        entry = entry.tb_next


def text_of_source(source):
    """The text of a function."""
    head = f"def run({', '.join(source.inputs)}):"
    return "\n".join([head, *["    " * indent + text for indent, text, _ in source.lines]]) + "\n"


def made_of(source, name, warns=True):
    """The function that NumPy source defines; `warns`: it may run where NumPy's warnings are heard."""
    scope = dict(source.globals, new_frame=make_frame(source.memory.slots))
    lines = [line for _, _, line in source.lines]
    if not warns:
        return define_function(text_of_source(source), scope, name, [None, *lines])
    scope |= {"_now": error_state, "_enter": enter_reporting, "_leave": leave_error_state}
    body = ["    " * (indent + 1) + text for indent, text, _ in source.lines]
    head = [f"def run({', '.join(source.inputs)}):", "    _state = _now()", "    try:", "        _enter()"]
    text = "\n".join([*head, *body, "    finally:", "        _leave(_state)"]) + "\n"
    return define_function(text, scope, name, [*[None] * len(head), *lines, None, None])


def define_function(text, scope, name, lines=None):
    """The function of source, which tracebacks show."""
    with contextlib.suppress(IndexError):  # another thread may be as quick
        while True:  # not when they die, which may be while somebody goes through the lines of all files
            linecache.cache.pop(_DEAD.pop(), None)
    file = os.path.join(_FOLDER, f"<{name} {next(_numbers)}>")
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), scope)
    if lines is not None and any(lines):
        PROGRAMS[file] = lines
    run = scope.pop("run")  # its globals do not hold it: no cycle
    weakref.finalize(run, _forget, file).atexit = False
    return run


def _forget(file):
    _DEAD.append(file)
    PROGRAMS.pop(file, None)

"""torch.jit: functions and modules as they are; files of compiled programs are refused."""

import builtins as _builtins
from contextlib import contextmanager as _contextmanager
from typing import Final as Final

from .._impl.dispatch import surface as _surface
from .._impl.dispatch.unbuilt import parts as _parts
from .._impl.platform.compiling import as_it_is as _as_it_is, no as _no, trace as trace
from .._impl.platform.futures import Future as Future

_overload = _overload_method = script = ignore = unused = export = interface = _as_it_is
script_method = _as_it_is
script_if_tracing = _script_if_tracing = _as_it_is
is_scripting = is_tracing = _no


def annotate(the_type, the_value):
    """The value."""
    return the_value


def isinstance(obj, target_type):  # noqa: A001 (torch's name)
    """Python's isinstance."""
    return _builtins.isinstance(obj, target_type)


def fork(func, *args, **kwargs):
    """A future of `func(*args, **kwargs)`, which is called at once."""
    done = Future()
    done.set_result(func(*args, **kwargs))
    return done


def wait(future):
    """The result of a future, once it is there."""
    return future.wait()


_fork, _wait = fork, wait  # their names in older programs


@_contextmanager
def optimized_execution(should_optimize):
    """A context that changes nothing: functions are not compiled."""
    yield


def set_fusion_strategy(strategy):
    """Nothing; the strategy that was in force: none."""
    return []


def onednn_fusion_enabled():
    """False."""
    return False


def _warning(name, doc):
    """A class that programs filter warnings by, or catch."""
    return type(name, (Warning if name.endswith("Warning") else Exception,), {"__doc__": doc, "__module__": __name__})


TracerWarning = _warning("TracerWarning", "The warning of a trace, which is never given: functions stay as they are.")
ScriptWarning = _warning("ScriptWarning", "The warning of a script, which is never given.")
TracingCheckError = _warning("TracingCheckError", "The error of a trace, which is never raised.")
Error = _warning("Error", "The error of a compiled program, which is never raised.")
globals().update(_parts("jit", "Attribute CompilationUnit RecursiveScriptModule ScriptFunction ScriptModule "
                               "TopLevelTracedModule TracedModule",
                        "freeze load optimize_for_inference save trace_module"))
__getattr__, __dir__ = _surface.look_up("jit")

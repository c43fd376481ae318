"""Modules that are imported when they are first used."""

import os
import subprocess
import sys
import threading
import types

import pytest

from covector.core.lazy import LazyModule


@pytest.fixture
def planted(monkeypatch):
    module = types.ModuleType("planted_module")
    module.value = 3
    monkeypatch.setitem(sys.modules, "planted_module", module)
    return module


def test_what_was_read_is_an_attribute(planted):
    lazy = LazyModule("planted_module")
    assert "value" not in vars(lazy)
    assert lazy.value == 3
    assert vars(lazy)["value"] == 3
    with pytest.raises(AttributeError, match="other"):
        lazy.other


def test_what_waits_is_called_once_before_the_first_use(planted):
    lazy = LazyModule("planted_module")
    seen = []
    lazy.once_loaded(lambda module: seen.append(module.value))
    threads = [threading.Thread(target=lambda: lazy.value) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [3]


FORKS = """
import os, signal, sys, threading
from covector.core.lazy import LazyModule

sys.path.insert(0, sys.argv[1])
slow = LazyModule("slow_to_import")
thread = threading.Thread(target=lambda: slow.value)
thread.start()
while not os.path.exists(sys.argv[1] + "/begun"):
    pass
child = os.fork()
if child == 0:
    signal.alarm(60)  # ends the child where it waits for ever
    os._exit(slow.value)
thread.join()
sys.exit(os.waitpid(child, 0)[1] != 7 << 8)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_waits_for_what_another_thread_imports(tmp_path):
    (tmp_path / "slow_to_import.py").write_text(
        "import pathlib, time\n(pathlib.Path(__file__).parent / 'begun').touch()\ntime.sleep(0.5)\nvalue = 7\n")
    assert subprocess.run([sys.executable, "-P", "-c", FORKS, str(tmp_path)], check=False).returncode == 0


def test_special_names_load_nothing():
    with pytest.raises(AttributeError):
        LazyModule("no_such_module").__wrapped__


LATER = ["optree", "opt_einsum", "numpy.random", "html.entities", "llvmlite", "scipy", "covector.nn", "covector.random",
         "covector.scipy", "covector.core.ops.special.every", "covector.transforms.native"]


@pytest.mark.parametrize("use", ["pass", "covector.grad(numpy.sin)(1.0)", "covector.vmap(numpy.sin)(numpy.ones(3))"])
def test_import_loads_no_more_than_most_programs_need(use):
    code = f"import sys, numpy, covector\n{use}\nprint([m for m in {LATER} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_modules_come_when_they_are_asked_for():
    code = "import covector\nprint(covector.nn.relu(-1.0), covector.scipy.special.erf(0.0), covector.random.key(0))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[:2] == ["0.0", "0.0"]

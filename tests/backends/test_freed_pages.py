"""A gradient does not take its memory from the system anew with every call."""

import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
import covector

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

gradient = covector.grad(lambda x: np.sum(np.tanh(x) * np.exp(-(x**2)) + np.log1p(x**2)))
x = np.linspace(-2.0, 2.0, 100_000)
for _ in range(3):
    gradient(x)
before = faults()
for _ in range(10):
    gradient(x)
print(faults() - before)
"""


def faults(**environment):
    """Page faults of ten gradients, in a process of its own."""
    environment = {"PYTHONPATH": ":".join(sys.path)} | environment
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env=environment)
    return int(done.stdout)


glibc = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the limit is glibc's")


@glibc
def test_a_gradient_called_again_takes_its_memory_from_what_was_freed():
    assert faults() < 2000


@glibc
def test_the_allocator_is_left_as_it_is_where_the_environment_says_so():
    assert faults(COVECTOR_KEEP_FREED_PAGES="0") > 5000  # 9,100 where the pages are given back

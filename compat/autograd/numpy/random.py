"""autograd.numpy.random: NumPy's generators, which draw constants."""

import numpy.random as _random
from numpy.random import *  # noqa: F403 - NumPy's names


def __getattr__(name):
    """As numpy.random has it."""
    return getattr(_random, name)

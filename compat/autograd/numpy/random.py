"""autograd.numpy.random: NumPy's generators, which draw constants."""

import numpy.random as _random
from numpy.random import *  # noqa: F403 - NumPy's names

from .._impl.missing import refusing as _refusing

_refusing("numpy.random", otherwise=lambda name: getattr(_random, name))

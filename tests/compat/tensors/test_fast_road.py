"""Views and writes of the fast road are those of the general one: values, gradients, versions, nodes."""

import contextlib
import gc
import sys

import numpy as np
import pytest

import covector.compat.torch as torch

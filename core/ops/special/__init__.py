"""Primitives of SciPy's special functions."""

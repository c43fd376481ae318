"""Support for differentiating SciPy's solvers: implicit operations, traced arguments, results."""

"""What SciPy's solvers need to be differentiated: implicit operations, arguments that are traced, results."""

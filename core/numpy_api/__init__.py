"""The NumPy interface of traced values: operators, methods, and the dispatch protocols."""

"""Primitives with SciPy's algorithms as implementation and derivative rules written in operations."""

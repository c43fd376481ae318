"""Sparse-matrix primitives: the values are an operand, the pattern is a parameter."""

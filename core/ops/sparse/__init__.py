"""Primitives on sparse matrices: values that are operands, in a pattern that is a parameter."""

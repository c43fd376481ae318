"""Calls of compiled functions: jit and its signatures, native functions of Python objects, and exported text."""

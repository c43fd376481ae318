"""Kernels of a device over the elements of lists of arrays."""

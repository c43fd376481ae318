"""Primitives that read and write by index, sort and search."""

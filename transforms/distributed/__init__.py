"""Meshes of ranks, and functions partitioned over them."""

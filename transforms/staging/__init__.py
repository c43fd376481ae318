"""Staged functions (graphs), and the transforms built on them."""

"""Graphs of a few operations as Python source that computes and records them."""

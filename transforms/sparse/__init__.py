"""Sparse derivatives: patterns from graphs, colourings, compressed sweeps and the plans that hold them."""

"""Sparse derivatives: patterns from graphs, colourings, compressed sweeps, and plans of all three."""

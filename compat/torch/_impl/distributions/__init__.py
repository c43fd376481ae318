"""Probability distributions, their constraints and transforms, and divergences between them."""

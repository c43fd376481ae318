"""Functions written down as graphs, and what is built on graphs."""

"""A mesh of ranks, and functions of which each rank computes a part."""

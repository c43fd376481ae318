"""Graph analyses: the cost of equations and the liveness of values."""

"""How traced values behave as NumPy arrays: operators, methods, and NumPy's dispatch protocols."""

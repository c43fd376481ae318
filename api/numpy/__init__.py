"""The NumPy namespace: every function here takes arrays and traced arrays alike."""

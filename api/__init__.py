"""covector: composable function transforms for plain NumPy and CuPy arrays."""

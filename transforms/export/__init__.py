"""Functions as C and CUDA text, to take away."""

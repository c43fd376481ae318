"""The NumPy renderer: straight-line Python that calls NumPy, elementwise equations in blocks."""

"""The plain objects of PyTorch's surface: dtypes, sizes, memory formats, pytrees."""

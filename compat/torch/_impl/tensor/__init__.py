"""The class Tensor: attributes, methods, conversion, printing."""

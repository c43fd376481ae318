"""`install()`: programs that import torch get covector.compat.torch."""

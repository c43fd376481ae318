"""torch.version: the version of PyTorch whose behaviour this module has, and what it was not built with."""

__version__ = "2.13.0+covector"
cuda = hip = xpu = git_version = None
debug = False

"""torch.version: the version of PyTorch whose behaviour this module has, and what it lacks."""

__version__ = "2.13.0+covector"
cuda = hip = rocm = xpu = git_version = None
debug = False

"""What the modules of covector.compat.autograd share, which have no counterpart in autograd."""

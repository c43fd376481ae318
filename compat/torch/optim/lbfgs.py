"""torch.optim.lbfgs: LBFGS, and the line search that programs call by its private name."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.lbfgs import LBFGS as LBFGS
from .._impl.optim.line_search import _cubic_interpolate as _cubic_interpolate, _strong_wolfe as _strong_wolfe

_surface.publish(globals())

"""`scipy.interpolate` on arrays and traced arrays: splines differentiable in values, places and knots."""

from .bsplines import BSpline as BSpline, make_interp_spline as make_interp_spline
from .cubic import (
    Akima1DInterpolator as Akima1DInterpolator,
    CubicSpline as CubicSpline,
    PchipInterpolator as PchipInterpolator,
)
from .grid import RegularGridInterpolator as RegularGridInterpolator
from .one_dimension import interp1d as interp1d
from .piecewise import PPoly as PPoly

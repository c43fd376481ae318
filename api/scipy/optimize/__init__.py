"""`scipy.optimize`: SciPy's solvers, differentiated by the implicit function theorem at the solution."""

from .minima import minimize as minimize, minimize_scalar as minimize_scalar
from .programming import linear_sum_assignment as linear_sum_assignment, linprog as linprog
from .roots import fixed_point as fixed_point, root as root, root_scalar as root_scalar
from .single import (
    brentq as brentq,
    curve_fit as curve_fit,
    fsolve as fsolve,
    leastsq as leastsq,
    newton as newton,
)
from .squares import least_squares as least_squares, nnls as nnls

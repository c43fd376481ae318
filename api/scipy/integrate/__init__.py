"""`scipy.integrate`: SciPy's integrators, differentiated by sensitivities and adjoints, and rules for samples."""

from .initial_value import odeint as odeint, solve_ivp as solve_ivp
from .quadrature import dblquad as dblquad, fixed_quad as fixed_quad, nquad as nquad, quad as quad
from .sampled import (
    cumulative_simpson as cumulative_simpson,
    cumulative_trapezoid as cumulative_trapezoid,
    romb as romb,
    simpson as simpson,
    trapezoid as trapezoid,
)

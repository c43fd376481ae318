"""`scipy.sparse.linalg` with derivatives: direct and iterative solvers of sparse systems."""

from .direct import splu as splu, spsolve as spsolve
from .iterative import bicgstab as bicgstab, cg as cg, gmres as gmres

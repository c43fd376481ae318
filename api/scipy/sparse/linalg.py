"""`scipy.sparse.linalg` with derivatives: direct and iterative solvers of sparse systems, and eigenvalues."""

from .direct import splu as splu, spsolve as spsolve
from .eigenvalues import eigsh as eigsh
from .iterative import bicgstab as bicgstab, cg as cg, gmres as gmres

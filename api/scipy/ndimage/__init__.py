"""`scipy.ndimage` on arrays and traced arrays: interpolation at coordinates, and filters."""

from .filters import convolve as convolve, correlate as correlate, gaussian_filter as gaussian_filter
from .interpolation import map_coordinates as map_coordinates

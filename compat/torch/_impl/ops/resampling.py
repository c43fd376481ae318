"""Resampling of grids: interpolation, sampling at given points, and pixels moved between axes."""

import functools
import math

import numpy as np

from ..... import stop_gradient
from ....._primitives import Sums
from .....extend import REGISTRY
from ..dispatch.call import ROWS, functional, otherwise
from ..dispatch.layouts import by_rows
from ..modes.warnings import tell
from ..types.dtypes import OF_NUMPY, type_word
from .array_functions import cnp
from .neighbors import BROAD, cubic, linear
from .pooling import WEIGHTED


@functools.lru_cache(maxsize=128)
def interpolated(neighbours, n, m, factor, align):
    """The sums that interpolate from n points to m; `neighbors` gives places and weights of those of each point."""
    places, weights = zip(*neighbours(n, m, factor, align))
    return Sums((m, n), np.tile(np.arange(m), len(places)), np.concatenate(places), np.concatenate(weights))


@functools.lru_cache(maxsize=128)
def nearest_sums(n, m, factor, exact):
    """The nearest of n points for each of m, as sums of one number."""
    return Sums((m, n), np.arange(m), _nearest(n, m, factor, exact), np.ones(m))


def _nearest(n, m, factor, exact):
    scale = np.float32(1.0 / factor if factor else n / m)
    x = (np.arange(m, dtype=np.float32) + np.float32(0.5 if exact else 0.0)) * scale
    return np.minimum(np.floor(x).astype(np.int64), n - 1)


_MODES = {"nearest": (1, 2, 3), "nearest-exact": (1, 2, 3), "linear": (1,), "bilinear": (2,), "trilinear": (3,),
          "bicubic": (2,), "lanczos": (2,), "area": (1, 2, 3)}


@functional("interpolate")
def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None,
                antialias=False):
    """Resample to another size by nearest-neighbor, linear, cubic or area interpolation."""
    n = input.ndim - 2
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | "
                             "bicubic | trilinear")
    if isinstance(size, str) or isinstance(scale_factor, str):
        raise TypeError("interpolate(): size and scale_factor must be numbers or tuples of numbers, not str")
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if mode in ("linear", "bilinear", "trilinear") and n in (1, 2, 3) and n not in _MODES[mode]:
        raise NotImplementedError(f"Got {n + 2}D input, but {mode} mode needs {_MODES[mode][0] + 2}D input")
    if mode not in _MODES or n not in _MODES[mode]:
        raise NotImplementedError("Input Error: Only 3D, 4D and 5D input Tensors supported (got "
                                  f"{input.ndim}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | "
                                  f"lanczos | area | nearest-exact (got {mode})")
    if antialias and mode not in BROAD:
        raise ValueError("Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D "
                         "tensor as input")
    if mode == "lanczos" and (align_corners or not antialias):
        raise ValueError("Lanczos mode does not support align_corners=True" if align_corners else
                         "Lanczos mode requires antialias=True")
    old = tuple(input.shape[2:])
    factors = (None,) * n
    if size is not None:
        new = (int(size),) * n if isinstance(size, int | np.integer) else tuple(int(k) for k in size)
        if len(new) != n:
            raise ValueError(f"Input and output must have the same number of spatial dimensions, but got input with "
                             f"spatial dimensions of {list(old)} and output size of {size}. Please provide input "
                             "tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.")
    else:
        given = (float(scale_factor),) * n if isinstance(scale_factor, int | float) else tuple(map(float, scale_factor))
        if len(given) != n:
            raise ValueError("Input and scale_factor must have the same number of spatial dimensions, but got input "
                             f"with spatial dimensions of {list(old)} and scale_factor of shape {scale_factor}. Please "
                             "provide input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, "
                             "...,sK) format.")
        new = tuple([math.floor(k * f) for k, f in zip(old, given)])
        factors = (None,) * n if recompute_scale_factor else given
    if any(k <= 0 for k in (*new, *old)):
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input (H: {old[0]}) output (H: "
                           f"{new[0]})")
    if mode == "area":
        return ROWS[f"nn.functional.adaptive_avg_pool{n}d"].body(input, new)
    if input.dtype.kind in "biu" and input.dtype != np.uint8 and not mode.startswith("nearest"):
        raise NotImplementedError(f"\"upsample_{mode}{n}d\" not implemented for '{type_word(input.dtype)}'")
    byte = input.dtype == np.uint8 and not mode.startswith("nearest")
    neighbours = BROAD[mode] if antialias else cubic if mode == "bicubic" else linear
    out = input
    for i, (k, m, f) in [*enumerate(zip(old, new, factors))][:: -1 if byte else 1]:
        axis = 2 + i
        if mode.startswith("nearest"):
            sums = nearest_sums(k, m, f, mode.endswith("exact"))
            out = WEIGHTED(out, sums, axis) if out.dtype.kind in "fc" else cnp.take(out, sums.places, axis=axis)
        else:
            sums = interpolated(neighbours, k, m, f, bool(align_corners))
            total = WEIGHTED(out.astype(np.float32) if byte else out, sums, axis)
            out = by_rows(cnp.clip(cnp.floor(total + 0.5), 0, 255).astype(input.dtype)) if byte else total
    return out


def _spatial(name, input, size):
    """torch's ValueError where lengths are given for other axes than the input has."""
    if name != "upsample" and isinstance(size, tuple | list) and len(size) != input.ndim - 2:
        raise ValueError(f"Input and output must have the same number of spatial dimensions, but got input with "
                         f"spatial dimensions of {list(input.shape[2:])} and output size of {size}.")


def _old(name, mode=None, align=None, asked=False):
    """A deprecated name of `interpolate`."""
    def upsample(input, size=None, scale_factor=None, mode=mode or "nearest", align_corners=align):
        tell(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.")
        _spatial(name, input, size)
        return interpolate.row.body(input, size, scale_factor, mode, align_corners)

    functional(name, upsample, asked=asked)


_old("upsample", asked=True)
_old("upsample_nearest", "nearest")
_old("upsample_bilinear", "bilinear", True)


_PADDINGS = "zeros", "border", "reflection"


def flat(given, named):
    """Tell whether the examples are images, not volumes."""
    return (given[0] if given else named["input"]).ndim == 4


@functional("grid_sample", node={flat: "GridSampler2DBackward0", otherwise: "GridSampler3DBackward0"})
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """Sample images at the positions of a grid."""
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but "
                         f"got: '{mode}'")
    if padding_mode not in _PADDINGS:
        raise ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
                         f"'reflection', but got: '{padding_mode}'")
    n = input.ndim - 2
    if n not in (2, 3) or grid.ndim != input.ndim:
        raise RuntimeError(f"grid_sampler(): expected grid and input to have same number of dimensions, but got input "
                           f"with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}")
    if input.shape[0] != grid.shape[0]:
        raise RuntimeError("grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
                           f"{list(input.shape)} and grid with sizes {list(grid.shape)}")
    if grid.shape[-1] != n:
        raise RuntimeError(f"grid_sampler(): expected grid to have size {n} in last dimension, but got grid with sizes "
                           f"{list(grid.shape)}")
    if mode == "bicubic" and n == 3:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if align_corners is None:
        tell("Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. "
             "Please specify align_corners=True if the old behavior is desired. See the documentation of "
             "grid_sample for details.")
    align = bool(align_corners)
    sizes = tuple(input.shape[2:])
    out_shape = (*input.shape[:2], *grid.shape[1:-1])
    if mode == "nearest":
        at = cnp.reshape(grid, (grid.shape[0], math.prod(grid.shape[1:-1]), n))
        return cnp.reshape(NEAREST(input, at, _PADDINGS.index(padding_mode), align), out_shape)
    at = _positions(grid, sizes, "zeros" if mode == "bicubic" else padding_mode, align)
    if mode == "bilinear":
        return cnp.reshape(INTERPOLATED(input, at), out_shape)
    rows = cnp.reshape(input, (*input.shape[:2], math.prod(sizes)))
    around = CORNERS(stop_gradient(cnp.floor(at)), sizes, -1, 4, _PADDINGS.index(padding_mode), align)
    return cnp.reshape(SUMS(rows, CUBIC(at), around), out_shape)


INTERPOLATED = REGISTRY["interpolated"].fun
SUMS, CORNERS, PLACED, NEAREST, CUBIC = (REGISTRY[name].fun for name in (
    "sampled_sums", "corners", "placed", "nearest", "cubic_weights"))


def _positions(grid, sizes, padding_mode, align):
    """The positions of a grid in images, (n, points, axes), kept inside where these are not padded with zeros."""
    at = (grid.shape[0], math.prod(grid.shape[1:-1]), len(sizes))
    if padding_mode != "zeros":
        return PLACED(cnp.reshape(grid, at), sizes, padding_mode == "reflection", align)
    lengths = np.tile(np.array(sizes[::-1], grid.dtype), grid.shape[-2])
    x = cnp.reshape(grid, (*grid.shape[:-2], grid.shape[-2] * grid.shape[-1])) + 1  # the last two axes in a row
    return cnp.reshape(x / 2 * (lengths - 1) if align else (x * lengths - 1) / 2, at)


@functional("affine_grid")
def affine_grid(theta, size, align_corners=None):
    """Return the sampling grid of an affine transformation."""
    size = tuple(size)
    n = len(size) - 2
    if theta.dtype.kind not in "fV":
        raise ValueError(f"Expected theta to have floating point type, but got {OF_NUMPY[theta.dtype]!r}")
    if n not in (2, 3):
        raise NotImplementedError("affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
                                  f"respectively. Got size {size}.")
    if tuple(theta.shape[1:]) != (n, n + 1):
        raise ValueError(f"Expected a batch of {n}D affine matrices of shape Nx{n}x{n + 1} for size {size}. Got "
                         f"{tuple(theta.shape)}.")
    lines = []
    for k in size[2:]:
        line = np.linspace(-1, 1, k) if k > 1 else np.zeros(1)
        lines.append(line if align_corners or k < 1 else line * (k - 1) / k)
    grids = np.meshgrid(*lines, indexing="ij")[::-1]
    points = np.stack([*[g.ravel() for g in grids], np.ones(grids[0].size)], axis=-1).astype(theta.dtype)
    return cnp.reshape(cnp.matmul(points, cnp.swapaxes(theta, 1, 2)), (size[0], *size[2:], n))


@functional("pixel_shuffle")
def pixel_shuffle(input, upscale_factor):
    """Rearrange channels into blocks of pixels."""
    if input.ndim < 3:
        raise RuntimeError("pixel_shuffle expects input to have at least 3 dimensions, but got input with "
                           f"{input.ndim} dimension(s)")
    r = upscale_factor
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    *lead, c, h, w = input.shape
    if c % (r * r):
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                           f"upscale_factor, but input.size(-3)={c} is not divisible by {r * r}")
    k = len(lead)
    x = cnp.reshape(input, (*lead, c // (r * r), r, r, h, w))
    x = cnp.transpose(x, (*range(k), k, k + 3, k + 1, k + 4, k + 2))
    return cnp.reshape(x, (*lead, c // (r * r), h * r, w * r))


@functional("pixel_unshuffle")
def pixel_unshuffle(input, downscale_factor):
    """Rearrange blocks of pixels into channels."""
    if input.ndim < 3:
        raise RuntimeError("pixel_unshuffle expects input to have at least 3 dimensions, but got input with "
                           f"{input.ndim} dimension(s)")
    r = downscale_factor
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *lead, c, h, w = input.shape
    for word, size, axis in (("height", h, -2), ("width", w, -1)):
        if size % r:
            raise RuntimeError(f"pixel_unshuffle expects {word} to be divisible by downscale_factor, but "
                               f"input.size({axis})={size} is not divisible by {r}")
    k = len(lead)
    x = cnp.reshape(input, (*lead, c, h // r, r, w // r, r))
    x = cnp.transpose(x, (*range(k), k, k + 2, k + 4, k + 1, k + 3))
    return cnp.reshape(x, (*lead, c * r * r, h // r, w // r))


@functional("channel_shuffle")
def channel_shuffle(input, groups):
    """Interleave groups of channels."""
    if input.ndim <= 2:
        raise RuntimeError("channel_shuffle expects input with > 2 dims, but got input with sizes "
                           f"{list(input.shape)}")
    n, c, *rest = input.shape
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if c % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {c} channels and {groups} groups.")
    x = cnp.reshape(input, (n, groups, c // groups, *rest))
    return cnp.reshape(cnp.swapaxes(x, 1, 2), input.shape)

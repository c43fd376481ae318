"""torch._lowrank: decompositions of low rank, under the name by which programs reach them."""

from ._impl.module.low_rank import pca_lowrank as pca_lowrank, svd_lowrank as svd_lowrank

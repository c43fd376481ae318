"""torch.distributions.utils: parameters of distributions."""

from ..._impl.distributions.parameters import (
    broadcast_all as broadcast_all,
    clamp_probs as clamp_probs,
    euler_constant as euler_constant,
    lazy_property as lazy_property,
    logits_to_probs as logits_to_probs,
    probs_to_logits as probs_to_logits,
    standard_normal as _standard_normal,
    sum_rightmost as _sum_rightmost,
    tril_matrix_to_vec as tril_matrix_to_vec,
    vec_to_tril_matrix as vec_to_tril_matrix,
)

__all__ = ["_standard_normal", "_sum_rightmost", "broadcast_all", "clamp_probs", "euler_constant", "lazy_property",
           "logits_to_probs", "probs_to_logits", "tril_matrix_to_vec", "vec_to_tril_matrix"]

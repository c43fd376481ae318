"""What the generated table of operations says otherwise than PyTorch's files do, each with its reason."""

# PyTorch's parser takes a Python number for a tensor in these: a list in C++, not in a schema.
NUMBERS_AS_TENSORS = frozenset("add sub mul div divide multiply subtract true_divide floor_divide".split())

# Not operations, but they look at their arguments, too: methods without a function, and methods that draw numbers.
MORE = """range view repeat sum_to_size new_empty new_full new_ones new_zeros item
contiguous clone zero_ fill resolve_conj resolve_neg unique_consecutive uniform_ normal_ exponential_
cauchy_ log_normal_ geometric_ bernoulli_ random_""".split()

# Sizes, parts or formulas in more forms than a signature can say; their bodies look at them.
WITHOUT = frozenset("split block_diag einsum".split())

# They compute in the dtype of `out=`, which is therefore that of the answer.
DTYPE_OF_OUT = frozenset("sum prod mean cumsum cumprod nansum".split())

# Bound by hand in C++, so that native_functions.yaml does not have them or has them otherwise.
WRITTEN = {
    "item": "Tensor input",
    "contiguous": "Tensor input, *, any memory_format=",
    "nonzero": "Tensor input, *, bool as_tuple=, out!",
    "range": "Number start, Number end, Number step=, *, dtype? dtype=, options, out?",
    # Its node is a product where no x is given; the probe, which reads nodes by one way, has the other.
    "trapezoid": "Tensor y, Tensor x, *, int dim= > Div0 | Tensor y, *, Number dx=, int dim= > Mul1",
}

# Functions in Python take either of two kinds here, which what they say to another does not tell.
KINDS = {
    ("nn.functional.normalize", "p"): "any?",
    ("nn.functional.normalize", "dim"): "any?",
    ("nn.functional.normalize", "out"): "operand?",
    ("nn.functional.gaussian_nll_loss", "target"): "any?",
    ("nn.functional.multilabel_soft_margin_loss", "target"): "any?",
}

# Of one node here, under a name of its own: what PyTorch's last node saves of the steps before, it has not.
_OWN = """float_power hstack vstack dstack column_stack fliplr flipud tile repeat_interleave kron tensordot logdet
nanmean take_along_dim msort nn.functional.rms_norm nn.functional.ctc_loss linalg.tensorinv linalg.tensorsolve
linalg.matrix_norm"""
# PyTorch ends these in a reshape, a slice or a product of another kind, or in one node of several; here the node of the
# computation is the last.
_LAST = {
    "Addmm0": "nn.functional.linear", "Dot0": "inner", "Mm0": "linalg.matrix_power linalg.multi_dot",
    "LinalgVectorNorm0": "linalg.norm nn.functional.pairwise_distance", "NllLoss0": "nn.functional.cross_entropy",
    "Mean0": """nn.functional.l1_loss nn.functional.gaussian_nll_loss nn.functional.margin_ranking_loss
             nn.functional.cosine_embedding_loss nn.functional.hinge_embedding_loss
             nn.functional.multilabel_soft_margin_loss""",
    "Col2Im0": "nn.functional.fold", "ConstantPadNd0": "nn.functional.pad", "Cumprod0": "linalg.vander",
    "Pow0": "nn.functional.lp_pool1d nn.functional.lp_pool2d nn.functional.lp_pool3d", "Lerp1": "quantile nanquantile",
    "Div0": "trapezoid cumulative_trapezoid corrcoef linalg.cond", "LinalgPinv0": "linalg.pinv",
    "NativeBatchNorm0": "nn.functional.instance_norm", "Add0": "nn.functional.bilinear", "Transpose0": "stft",
    "Upsample0": "nn.functional.interpolate nn.functional.upsample_nearest nn.functional.upsample_bilinear",
    "AffineGridGenerator0": "nn.functional.affine_grid", "FftC2C0": "fft.fft fft.ifft", "Slice0": "istft",
    "ConjPhysical0": "fft.ihfft fft.ihfft2 fft.ihfftn", "KlDiv0": "nn.functional.kl_div",
}
NODES = dict.fromkeys(_OWN.split()) | {name: node for node, names in _LAST.items() for name in names.split()}

# Arguments that a node of PyTorch saves in another form than they are given in: as a number of an enumeration, an axis
# counted from the end, one size an axis, or with a default that depends on others.
UNTOLD = frozenset("reduction correction dim1 dim2 kernel_size stride padding dilation".split())
# Nodes of functions that PyTorch calls in other ones, and nodes whose operands here have other places: what is known.
SAVED = {
    "Pow0": "self=0 exponent^", "Pow2": "exponent=1 result=-1", "NllLoss0 LogSigmoid0 Renorm0 Elu0": "self=0",
    "NativeLayerNorm0 NativeBatchNorm0": "input=0", "Convolution0": "input=0?1 weight=1?0",
    "PreluKernel0": "self=0 weight=1", "LinalgDet0 LinalgSlogdet0 LinalgSolveEx0": "A=0",
    "LinalgInvEx0": "inverse=-1", "LinalgCholeskyEx0": "L=-1", "Polygamma0": "self=1", "Xlogy1": "other=1",
    "Slice0": "self_sym_sizes dim@ start@ end@ step@",
    "Softmax0 LogSoftmax0": "result=-1 dim!", "Threshold0": "self=0 threshold!",
    """Addmm0 ConstantPadNd0 Embedding0 LinalgQr0 LinalgSvd0 LinalgEigh0 LinalgLu0 Index0 IndexPut0 AsStrided0 IndexAdd0
    IndexCopy0 LinalgLuSolve0 Unfold0 MaskedScatter0 Aminmax0 LinalgCross0 FftR2C0 FftC2C0 FftC2R0 Fill2 Conj0 ToCopy0
    UnsafeView0 torch::autograd::CopyBackwards""": "",
}

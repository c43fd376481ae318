"""What the generated table of operations says otherwise than PyTorch's files do, each with its reason."""

# PyTorch's parser takes a Python number for a tensor in these: a list in C++, not in a schema.
NUMBERS_AS_TENSORS = frozenset("add sub mul div divide multiply subtract true_divide floor_divide".split())

# Not operations, but they look at their arguments, too: methods without a function, and methods that draw numbers.
MORE = """item contiguous clone zero_ fill resolve_conj resolve_neg unique_consecutive uniform_ normal_ exponential_
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
}

# Functions in Python take either of two kinds here, which what they say to another does not tell.
KINDS = {
    ("nn.functional.normalize", "p"): "any?",
    ("nn.functional.normalize", "dim"): "any?",
    ("nn.functional.normalize", "out"): "operand?",
    ("nn.functional.gaussian_nll_loss", "target"): "any?",
    ("nn.functional.multilabel_soft_margin_loss", "target"): "any?",
}

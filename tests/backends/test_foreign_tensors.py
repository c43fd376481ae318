"""A tensor of a library that covector does not know is refused by name, whatever its dtype is."""

import numpy as np
import pytest

import covector as cv


class Tensor:
    """As PyTorch's: a dtype that NumPy cannot read."""

    shape, dtype = (2, 2), "torch.float32"


CALLS = {
    "grad": lambda t: cv.grad(np.sum)(t),
    "jvp": lambda t: cv.jvp(np.sum, (t,), (np.ones((2, 2)),)),
    "vmap": lambda t: cv.vmap(np.sum)(t),
    "hessian": lambda t: cv.hessian(np.sum)(t),
    "make_graph": lambda t: cv.make_graph(np.sum)(t),
    "beside a traced value": lambda t: cv.grad(lambda x: np.sum(cv.numpy.multiply(x, t)))(np.ones((2, 2))),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_foreign_tensor_is_refused_by_name(name):
    with pytest.raises(TypeError, match=r"Tensor.*(convert it|close over).*test_foreign_tensors"):
        CALLS[name](Tensor())

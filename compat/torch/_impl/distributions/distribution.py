"""`Distribution`: shapes, checks of parameters and values, what all distributions share; exponential families."""

import warnings

from ..dispatch.backward_calls import grad
from ..namespace import torch
from ..state.levels import all_true
from ..types.tensor_type import TensorBase
from . import constraints
from .parameters import NO_AXES, lazy_property


class Distribution:
    """Base class of distributions.

    Args:
        batch_shape: the shape of independent distributions.
        event_shape: the shape of one value.
        validate_args: whether to check parameters and values; by default where Python runs without `-O`.
    Raises:
        ValueError: a parameter does not satisfy its constraint.
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value):
        """Set whether distributions check parameters and values by default."""
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape=NO_AXES, event_shape=NO_AXES, validate_args=None):
        self._batch_shape = batch_shape
        self._event_shape = event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self.validate_parameters()
        super().__init__()

    def validate_parameters(self):
        """Check each parameter by its constraint."""
        try:
            table = self.arg_constraints
        except NotImplementedError:
            table = {}
            warnings.warn(f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or "
                          "initialize the distribution with `validate_args=False` to turn off validation.",
                          stacklevel=4)
        for name, constraint in table.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name, None), lazy_property):
                continue
            value = getattr(self, name)
            if not all_true(constraint.check(value)):
                raise ValueError(f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of "
                                 f"distribution {self!r} to satisfy the constraint {constraint!r}, but found invalid "
                                 f"values:\n{value}")

    def expand(self, batch_shape, _instance=None):
        """The same distribution with its batch expanded: parameters `_expanded` of the class, of no axes of events.

        Args:
            batch_shape: the new one.
        """
        if not hasattr(self, "_expanded"):
            raise NotImplementedError
        cls = next(kind for kind in type(self).__mro__ if kind.__module__.startswith(__package__))
        new = self._get_checked_instance(cls, _instance)
        batch_shape = torch.Size(batch_shape)
        for name in cls._expanded:
            if name in self.__dict__:
                value = self.__dict__[name]
                events = getattr(cls, "_event_axes", {}).get(name, 0)
                tail = value.shape[value.dim() - events:] if isinstance(value, TensorBase) else ()
                setattr(new, name, value.expand((*batch_shape, *tail)) if isinstance(value, TensorBase) else value)
        for name in getattr(cls, "_kept", ()):
            setattr(new, name, getattr(self, name))
        self._also_expanded(new, batch_shape)
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    def _also_expanded(self, new, batch_shape):
        """Expand further state of a subclass besides its parameters."""

    @property
    def batch_shape(self):
        """The shape of independent distributions."""
        return self._batch_shape

    @property
    def event_shape(self):
        """The shape of one value."""
        return self._event_shape

    @property
    def arg_constraints(self):
        """Name of a parameter -> its constraint."""
        raise NotImplementedError

    @property
    def support(self):
        """The constraint of values."""
        raise NotImplementedError

    @property
    def mean(self):
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self):
        """The value of the largest density."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self):
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self):
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape=NO_AXES):
        """Values, without gradients, of shape `sample_shape + batch_shape + event_shape`."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=NO_AXES):
        """Values that gradients pass through to the parameters."""
        raise NotImplementedError

    def sample_n(self, n):
        """The old name of `sample((n,))`."""
        warnings.warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", UserWarning, stacklevel=2)
        return self.sample(torch.Size((n,)))

    def log_prob(self, value):
        """The logarithm of the density, or of the probability, at a value."""
        raise NotImplementedError

    def cdf(self, value):
        """The probability of values up to this one."""
        raise NotImplementedError

    def icdf(self, value):
        """The inverse of `cdf`."""
        raise NotImplementedError

    def enumerate_support(self, expand=True):
        """All values of a discrete distribution, along a new first axis."""
        raise NotImplementedError

    def entropy(self):
        """The entropy."""
        raise NotImplementedError

    def perplexity(self):
        """The exponential of the entropy."""
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape=NO_AXES):
        """The shape of samples."""
        return torch.Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _checked(self, value):
        """Check a value where that is asked for."""
        if self._validate_args:
            self._validate_sample(value)

    def _validate_sample(self, value):
        """Refuse what is no value of the distribution."""
        if not isinstance(value, TensorBase):
            raise ValueError("The value argument to log_prob must be a Tensor")
        events = value.dim() - len(self._event_shape)
        if value.size()[events:] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {value.size()} vs "
                             f"{self._event_shape}.")
        expected = (*self._batch_shape, *self._event_shape)
        for i, j in zip(reversed(value.size()), reversed(expected)):
            if i != 1 and j != 1 and i != j:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {value.size()} vs "
                                 f"{torch.Size(expected)}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(f"{type(self)} does not define `support` to enable sample validation. Please initialize the "
                          "distribution with `validate_args=False` to turn off validation.", stacklevel=4)
            return
        if not all_true(support.check(value)):
            raise ValueError(f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be "
                             f"within the support ({support!r}) of the distribution {self!r}, but found invalid "
                             f"values:\n{value}")

    def _get_checked_instance(self, cls, _instance=None):
        """A new object to expand into; a kind with its own constructor must expand itself."""
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom "
                                      "__init__ method must also define a custom .expand() method.")
        return self.__new__(type(self)) if _instance is None else _instance

    def __repr__(self):
        shown = [(k, self.__dict__[k]) for k in self.arg_constraints if k in self.__dict__]
        parts = ", ".join(f"{k}: {v if v.numel() == 1 else v.size()}" for k, v in shown)
        return f"{type(self).__name__}({parts})"


class ExponentialFamily(Distribution):
    """A distribution whose entropy follows from its log normalizer and natural parameters."""

    @property
    def _natural_params(self):
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self):
        raise NotImplementedError

    def entropy(self):
        """The entropy, by the gradient of the log normalizer."""
        natural = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*natural)
        slopes = grad(normalizer.sum(), natural, create_graph=True)
        found = normalizer - self._mean_carrier_measure
        for p, slope in zip(natural, slopes):
            found = found - (p * slope).reshape((*self._batch_shape, -1)).sum(-1)
        return found


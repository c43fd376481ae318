"""Distribution, and those made of others: independent, mixed, transformed."""

import warnings

from ..dispatch.backward_calls import grad
from ..public_names import torch
from ..state.levels import all_true
from ..types.tensor_type import TensorBase
from . import constraints
from .parameters import NO_AXES, lazy_property, sum_rightmost
from .transforms import ComposeTransform, Transform


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


# Distributions of others: Independent, which joins axes to events, and MixtureSameFamily.


class Independent(Distribution):
    """The same distribution with its last axes as axes of events.

    Args:
        base_distribution: the distribution.
        reinterpreted_batch_ndims: how many axes.
    """

    arg_constraints = {}

    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        n = len(base_distribution.batch_shape)
        if reinterpreted_batch_ndims > n:
            raise ValueError("Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                             f"{reinterpreted_batch_ndims} vs {n}")
        shape = base_distribution.batch_shape + base_distribution.event_shape
        cut = n - reinterpreted_batch_ndims
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(torch.Size(shape[:cut]), torch.Size(shape[cut:]), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Independent, _instance)
        batch_shape = torch.Size(batch_shape)
        joined = self.event_shape[:self.reinterpreted_batch_ndims]
        new.base_dist = self.base_dist.expand((*batch_shape, *joined))
        new.reinterpreted_batch_ndims = self.reinterpreted_batch_ndims
        super(Independent, new).__init__(batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def has_rsample(self):
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self):
        return self.reinterpreted_batch_ndims <= 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self):
        found, n = self.base_dist.support, self.reinterpreted_batch_ndims
        return constraints.independent(found, n) if n else found

    @property
    def mean(self):
        return self.base_dist.mean

    @property
    def mode(self):
        return self.base_dist.mode

    @property
    def variance(self):
        return self.base_dist.variance

    def sample(self, sample_shape=NO_AXES):
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape=NO_AXES):
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value):
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self):
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand=True):
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamily(Distribution):
    """A mixture of distributions of one kind.

    Args:
        mixture_distribution: a Categorical, the weights.
        component_distribution: its last batch axis are the components.
    """

    arg_constraints = {}
    has_rsample = False

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        if type(mixture_distribution).__name__ != "Categorical":
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        weights, shape = mixture_distribution.batch_shape, component_distribution.batch_shape
        for a, b in zip(reversed(weights), reversed(shape[:-1])):
            if a != 1 and b != 1 and a != b:
                raise ValueError(f"`mixture_distribution.batch_shape` ({weights}) is not compatible with "
                                 f"`component_distribution.batch_shape`({shape[:-1]})")
        k = mixture_distribution.logits.shape[-1]
        if k is not None and shape[-1] is not None and k != shape[-1]:
            raise ValueError(f"`mixture_distribution component` ({k}) does not equal "
                             f"`component_distribution.batch_shape[-1]` ({shape[-1]})")
        self._num_component = k
        self._event_ndims = len(component_distribution.event_shape)
        super().__init__(shape[:-1], component_distribution.event_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        batch_shape = torch.Size(batch_shape)
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        new._component_distribution = self._component_distribution.expand((*batch_shape, self._num_component))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component, new._event_ndims = self._num_component, self._event_ndims
        super(MixtureSameFamily, new).__init__(batch_shape, new._component_distribution.event_shape,
                                               validate_args=False)
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property
    def support(self):
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self):
        """The weights."""
        return self._mixture_distribution

    @property
    def component_distribution(self):
        """The components."""
        return self._component_distribution

    def _weighted(self, x):
        """The sum over components, weighted."""
        p = self.mixture_distribution.probs
        p = p.reshape(p.shape + (1,) * self._event_ndims)
        return torch.sum(p * x, dim=-1 - self._event_ndims)

    @property
    def mean(self):
        return self._weighted(self.component_distribution.mean)

    @property
    def variance(self):
        """By the law of total variance."""
        within = self._weighted(self.component_distribution.variance)
        apart = self.component_distribution.mean - self._pad(self.mean)
        return within + self._weighted(apart.pow(2.0))

    def cdf(self, x):
        return torch.sum(self.component_distribution.cdf(self._pad(x)) * self.mixture_distribution.probs, dim=-1)

    def log_prob(self, x):
        self._checked(x)
        weights = torch.log_softmax(self.mixture_distribution.logits, dim=-1)
        return torch.logsumexp(self.component_distribution.log_prob(self._pad(x)) + weights, dim=-1)

    def sample(self, sample_shape=NO_AXES):
        with torch.no_grad():
            n, events = len(sample_shape) + len(self.batch_shape), (1,) * self._event_ndims
            chosen = self.mixture_distribution.sample(sample_shape)
            every = self.component_distribution.sample(sample_shape)
            index = chosen.reshape((*chosen.shape, 1, *events)).expand((*chosen.shape, 1, *self.event_shape))
            return torch.gather(every, n, index).squeeze(n)

    def _pad(self, x):
        return x.unsqueeze(-1 - self._event_ndims)

    def __repr__(self):
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"


# TransformedDistribution: the distribution of values that transforms give of others.


class TransformedDistribution(Distribution):
    """The distribution of transformed values.

    Args:
        base_distribution: the distribution of the values.
        transforms: a transform, or a list of them.
    """

    arg_constraints = {}

    def __init__(self, base_distribution, transforms, validate_args=None):
        if isinstance(transforms, Transform):
            self.transforms = [transforms]
        elif isinstance(transforms, list):
            if not all(isinstance(t, Transform) for t in transforms):
                raise ValueError("transforms must be a Transform or a list of Transforms")
            self.transforms = transforms
        else:
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        shape = base_distribution.batch_shape + base_distribution.event_shape
        base_events = len(base_distribution.event_shape)
        whole = ComposeTransform(self.transforms)
        if len(shape) < whole.domain.event_dim:
            raise ValueError(f"base_distribution needs to have shape with size at least {whole.domain.event_dim}, but "
                             f"got {shape}.")
        forward = whole.forward_shape(shape)
        expanded = whole.inverse_shape(forward)
        if shape != expanded:
            base_distribution = base_distribution.expand(expanded[:len(expanded) - base_events])
        more = whole.domain.event_dim - base_events
        if more > 0:
            base_distribution = Independent(base_distribution, more)
        self.base_dist = base_distribution
        events = whole.codomain.event_dim + max(base_events - whole.domain.event_dim, 0)
        cut = len(forward) - events
        super().__init__(torch.Size(forward[:cut]), torch.Size(forward[cut:]), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(TransformedDistribution, _instance)
        batch_shape = torch.Size(batch_shape)
        shape = ComposeTransform(self.transforms).inverse_shape((*batch_shape, *self.event_shape))
        cut = len(shape) - len(self.base_dist.event_shape)
        new.base_dist = self.base_dist.expand(shape[:cut])
        new.transforms = self.transforms
        Distribution.__init__(new, batch_shape, self.event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @constraints.dependent_property(is_discrete=False)
    def support(self):
        if not self.transforms:
            return self.base_dist.support
        found, n = self.transforms[-1].codomain, len(self.event_shape)
        return constraints.independent(found, n - found.event_dim) if n > found.event_dim else found

    @property
    def has_rsample(self):
        return self.base_dist.has_rsample

    def sample(self, sample_shape=NO_AXES):
        with torch.no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=NO_AXES):
        return self._forward(self.base_dist.rsample(sample_shape))

    def _forward(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value):
        self._checked(value)
        n, found, y = len(self.event_shape), 0.0, value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            n += transform.domain.event_dim - transform.codomain.event_dim
            found = found - sum_rightmost(transform.log_abs_det_jacobian(x, y), n - transform.domain.event_dim)
            y = x
        return found + sum_rightmost(self.base_dist.log_prob(y), n - len(self.base_dist.event_shape))

    def _rising(self, value):
        """A probability, reversed where the transforms fall."""
        sign = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value):
        for transform in self.transforms[::-1]:
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._rising(self.base_dist.cdf(value))

    def icdf(self, value):
        value = self.base_dist.icdf(self._rising(value))
        for transform in self.transforms:
            value = transform(value)
        return value

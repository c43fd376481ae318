"""Steps of optimizers as functions: the parameters, gradients and states are lists, the options are arguments."""

from ..types.tensor_type import TensorBase
from .adam import Adam, Adamax, NAdam, RAdam
from .adaptive import Adadelta, Adagrad, RMSprop
from .gradient_descent import ASGD, SGD, Rprop


def adadelta(params, grads, square_avgs, acc_deltas, state_steps, capturable=False, foreach=None, differentiable=False,
             has_complex=False, *, lr, rho, eps, weight_decay, maximize):
    """Take a step of `Adadelta`."""
    step(Adadelta, params, grads, {"square_avg": square_avgs, "acc_delta": acc_deltas, "step": state_steps},
         capturable=capturable, foreach=foreach, differentiable=differentiable, lr=lr, rho=rho, eps=eps,
         weight_decay=weight_decay, maximize=maximize)


def adagrad(params, grads, state_sums, state_steps, fused=None, grad_scale=None, found_inf=None, has_sparse_grad=False,
            foreach=None, differentiable=False, has_complex=False, *, lr, weight_decay, lr_decay, eps, maximize):
    """Take a step of `Adagrad`."""
    unscaled("adagrad", grad_scale, found_inf)
    step(Adagrad, params, grads, {"sum": state_sums, "step": state_steps}, fused=fused, foreach=foreach,
         differentiable=differentiable, lr=lr, weight_decay=weight_decay, lr_decay=lr_decay, eps=eps,
         maximize=maximize, initial_accumulator_value=0)


def adam(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=None, capturable=False,
         differentiable=False, fused=None, grad_scale=None, found_inf=None, has_complex=False,
         decoupled_weight_decay=False, *, amsgrad, beta1, beta2, lr, weight_decay, eps, maximize):
    """Take a step of `Adam`."""
    unscaled("adam", grad_scale, found_inf)
    states = {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "step": state_steps}
    if amsgrad:
        states["max_exp_avg_sq"] = max_exp_avg_sqs
    step(Adam, params, grads, states, foreach=foreach, capturable=capturable, differentiable=differentiable,
         fused=fused, decoupled_weight_decay=decoupled_weight_decay, amsgrad=amsgrad, betas=(beta1, beta2), lr=lr,
         weight_decay=weight_decay, eps=eps, maximize=maximize)


def adamax(params, grads, exp_avgs, exp_infs, state_steps, foreach=None, maximize=False, differentiable=False,
           capturable=False, has_complex=False, *, eps, beta1, beta2, lr, weight_decay):
    """Take a step of `Adamax`."""
    step(Adamax, params, grads, {"exp_avg": exp_avgs, "exp_inf": exp_infs, "step": state_steps}, foreach=foreach,
         maximize=maximize, differentiable=differentiable, capturable=capturable, eps=eps, betas=(beta1, beta2),
         lr=lr, weight_decay=weight_decay)


def adamw(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=None, capturable=False,
          differentiable=False, fused=None, grad_scale=None, found_inf=None, has_complex=False, *, amsgrad, beta1,
          beta2, lr, weight_decay, eps, maximize):
    """Take a step of `AdamW`."""
    adam(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach, capturable, differentiable,
         fused, grad_scale, found_inf, has_complex, True, amsgrad=amsgrad, beta1=beta1, beta2=beta2, lr=lr,
         weight_decay=weight_decay, eps=eps, maximize=maximize)


def asgd(params, grads, axs, mus, etas, state_steps, foreach=None, maximize=False, differentiable=False,
         capturable=False, has_complex=False, *, lambd, lr, t0, alpha, weight_decay):
    """Take a step of `ASGD`."""
    step(ASGD, params, grads, {"ax": axs, "mu": mus, "eta": etas, "step": state_steps}, foreach=foreach,
         maximize=maximize, differentiable=differentiable, capturable=capturable, lambd=lambd, lr=lr, t0=t0,
         alpha=alpha, weight_decay=weight_decay)


def nadam(params, grads, exp_avgs, exp_avg_sqs, mu_products, state_steps, decoupled_weight_decay=False, foreach=None,
          capturable=False, differentiable=False, has_complex=False, maximize=False, *, beta1, beta2, lr,
          weight_decay, momentum_decay, eps):
    """Take a step of `NAdam`."""
    steps_of(mu_products, "mu_products")
    step(NAdam, params, grads, {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "mu_product": mu_products, "step":
                                state_steps},
         decoupled_weight_decay=decoupled_weight_decay, foreach=foreach, capturable=capturable, maximize=maximize,
         differentiable=differentiable, betas=(beta1, beta2), lr=lr, weight_decay=weight_decay, eps=eps,
         momentum_decay=momentum_decay)


def radam(params, grads, exp_avgs, exp_avg_sqs, state_steps, decoupled_weight_decay=False, foreach=None,
          differentiable=False, capturable=False, has_complex=False, maximize=False, *, beta1, beta2, lr,
          weight_decay, eps):
    """Take a step of `RAdam`."""
    step(RAdam, params, grads, {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "step": state_steps},
         decoupled_weight_decay=decoupled_weight_decay, foreach=foreach, differentiable=differentiable,
         capturable=capturable, maximize=maximize, betas=(beta1, beta2), lr=lr, weight_decay=weight_decay, eps=eps)


def rmsprop(params, grads, square_avgs, grad_avgs, momentum_buffer_list, state_steps, foreach=None, maximize=False,
            differentiable=False, capturable=False, has_complex=False, *, lr, alpha, eps, weight_decay, momentum,
            centered):
    """Take a step of `RMSprop`."""
    states = {"square_avg": square_avgs, "step": state_steps}
    if momentum > 0:
        states["momentum_buffer"] = momentum_buffer_list
    if centered:
        states["grad_avg"] = grad_avgs
    step(RMSprop, params, grads, states, foreach=foreach, maximize=maximize, differentiable=differentiable,
         capturable=capturable, lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum,
         centered=centered)


def rprop(params, grads, prevs, step_sizes, state_steps, foreach=None, capturable=False, maximize=False,
          differentiable=False, has_complex=False, *, step_size_min, step_size_max, etaminus, etaplus):
    """Take a step of `Rprop`."""
    step(Rprop, params, grads, {"prev": prevs, "step_size": step_sizes, "step": state_steps}, foreach=foreach,
         capturable=capturable, maximize=maximize, differentiable=differentiable, lr=0.0,
         etas=(etaminus, etaplus), step_sizes=(step_size_min, step_size_max))


def sgd(params, d_p_list, momentum_buffer_list, has_sparse_grad=False, foreach=None, fused=None, grad_scale=None,
        found_inf=None, *, weight_decay, momentum, lr, dampening, nesterov, maximize):
    """Take a step of `SGD`; a momentum that is None begins with the gradient, and is put into its list."""
    unscaled("sgd", grad_scale, found_inf)
    step(SGD, params, d_p_list, {"momentum_buffer": momentum_buffer_list} if momentum != 0 else {}, foreach=foreach,
         fused=fused, differentiable=False, weight_decay=weight_decay, momentum=momentum, lr=lr, dampening=dampening,
         nesterov=nesterov, maximize=maximize)


def step(kind, params, grads, states, **group):
    """Take a step of a kind of optimizer.

    Args:
        kind: the class.
        params, grads: tensors.
        states: the name of a part of the state -> it, for each parameter.
        group: the options, as the class keeps them.
    """
    if "step" in states:
        steps_of(states["step"], "state_steps")
    optimizer = kind.__new__(kind)  # of parameters and a state that others keep
    optimizer.check(group, params)
    for i, (p, g) in enumerate(zip(params, grads)):
        state = {name: found[i] for name, found in states.items() if found[i] is not None}
        optimizer.state = {p: state}
        if not g.other_layout or optimizer.on_sparse(group, [p], [g])[0]:
            optimizer.on_tensors(group, [p], [g])
        for name, found in states.items():
            if found[i] is None:
                found[i] = state[name]


def steps_of(found, name):
    """Refuse counts of steps that are no tensors, as PyTorch does."""
    if not all(isinstance(t, TensorBase) for t in found):
        raise RuntimeError(f"API has changed, `{name}` argument must contain a list of singleton tensors")


def unscaled(name, grad_scale, found_inf):
    """Refuse what a loss scaler of a device hands to fused kernels."""
    if grad_scale is not None or found_inf is not None:
        raise NotImplementedError(f"{name} takes no grad_scale and found_inf: there is no fused step that looks at "
                                  "them; unscale the gradients before")

"""The public modules of autograd that only re-export: each a row, its docstring and where its names live."""

from dataclasses import dataclass, field

from ...reexports import Row as _Row


@dataclass(frozen=True, slots=True)
class Row(_Row):
    """A module of autograd.

    Args:
        advice: names that it does not have -> what to use instead, which errors say.
    """

    advice: dict = field(default_factory=dict)


MODULES = {
    "builtins": Row("tuples, lists and dicts, which transforms take as they are, and types of traced values.", """
        _impl.builtins: ContainerVSpace DictBox DictVSpace ListVSpace NamedTupleVSpace SequenceBox SequenceVSpace
            TupleVSpace dict dict_ isinstance isinstance_ list list_ tuple tuple_ type type_""", advice={
        """
            container_take container_untake sequence_extend_left sequence_extend_right make_sequence
            grad_container_take grad_sequence_extend_left grad_sequence_extend_right fwd_grad_make_sequence
            TupleMeta ListMeta DictMeta""":
            "traced functions receive ordinary tuples, lists and dicts: use them as they are"}),
    "core": Row("reverse and forward mode of functions of one argument, rules, and vector spaces.", """
        _impl.core: SparseObject VSpace def_linear defjvp defjvp_argnum defjvp_argnums defvjp defvjp_argnum
            defvjp_argnums make_jvp make_vjp primitive primitive_ primitive_jvps primitive_vjps
            primitive_with_deprecation_warnings sum_outgrads vspace VJPNode
        _impl.tracer: Box getval isbox
        _impl.wrap_util: func subval toposort""", advice={
        "backward_pass sparse_add": "the sweep is covector's: use make_vjp(fun, x), or covector.vjp",
        "JVPNode": "use make_jvp(fun, x), or covector.jvp",
        "add_outgrads": "use sum_outgrads",
        "SparseBox sparse_object_types": "cotangents that rules give may be SparseObject",
        "translate_vjp deprecated_defvjp deprecated_defgrad": "use defvjp",
        "translate_jvp": "use defjvp",
        "deprecated_defvjp_is_zero": "use defvjp with None",
        "identity_vjp": "write lambda argnums, *args: lambda g: g",
        "identity_jvp": "write lambda g, *args, **kwargs: g"}),
    "differential_operators": Row("gradients, Jacobians, Hessians and products with them.", """
        _impl.differential_operators: checkpoint deriv elementwise_grad grad grad_and_aux grad_named hessian
            hessian_tensor_product hessian_vector_product holomorphic_grad jacobian make_ggnvp make_hvp make_jvp
            make_jvp_reversemode make_vjp multigrad_dict tensor_jacobian_product value_and_grad
            vector_jacobian_product"""),
    "extend": Row("functions whose derivatives are defined by rules.", """
        core: SparseObject VJPNode VSpace def_linear defjvp defjvp_argnum defjvp_argnums defvjp defvjp_argnum
            defvjp_argnums vspace
        tracer: Box notrace_primitive primitive register_notrace""", advice={
        "JVPNode": "use make_jvp(fun, x), or covector.jvp",
        "defvspace": "use VSpace.register(type, maker)"}),
    "misc": Row("flattening, graphs of one call, optimizers, fixed points.", """
        misc.flatten: flatten
        misc.tracers: const_graph""", package=True),
    "numpy.numpy_boxes": Row("the type of traced arrays.", "_impl.tracer: Box ArrayBox=Box"),
    "numpy.numpy_jvps": Row("its rules are covector's.", advice={
        """
            forward_grad_np_mean forward_grad_np_std forward_grad_np_var fwd_grad_chooser fwd_grad_concatenate_args
            fwd_grad_sort fwd_grad_partition atleast_jvpmaker array_from_args_gradmaker
            array_from_scalar_or_array_jvp broadcast norm_jvp""":
            "the rules of NumPy's functions are covector's primitives (covector.extend.REGISTRY)"}),
    "numpy.numpy_vspaces": Row("vector spaces of arrays.", """
        _impl.spaces: ArrayVSpace ComplexArrayVSpace ContainerVSpace VSpace EigResultVSpace=ContainerVSpace
            EighResultVSpace=ContainerVSpace QRResultVSpace=ContainerVSpace SlogdetResultVSpace=ContainerVSpace
            SVDResultVSpace=ContainerVSpace"""),
    "scipy": Row("SciPy's functions on traced values.", """
        scipy.integrate: scipy.linalg: scipy.signal: scipy.special: scipy.stats:""", package=True),
    "scipy.stats": Row("densities and distribution functions of traced values.", """
        scipy.stats.beta: scipy.stats.chi2: scipy.stats.dirichlet: scipy.stats.gamma: scipy.stats.multivariate_normal:
        scipy.stats.norm: scipy.stats.poisson: scipy.stats.t:""", package=True),
    "scipy.stats.beta": Row("the beta distribution.", "_impl.distributions: *BETA"),
    "scipy.stats.chi2": Row("the chi-squared distribution.", "_impl.distributions: *CHI2"),
    "scipy.stats.dirichlet": Row("the Dirichlet distribution.", "_impl.distributions: *DIRICHLET"),
    "scipy.stats.gamma": Row("the gamma distribution.", "_impl.distributions: *GAMMA"),
    "scipy.stats.norm": Row("the normal distribution.", "_impl.distributions: *NORM"),
    "scipy.stats.poisson": Row("the Poisson distribution.", "_impl.distributions: *POISSON"),
    "scipy.stats.t": Row("Student's t distribution.", "_impl.distributions: *T"),
    "test_util": Row("derivatives compared with differences.", """
        _impl.core: make_jvp make_vjp vspace
        _impl.test_util: EPS RTOL TOL check_equivalent check_grads check_jvp check_vjp combo_check
            make_numerical_jvp scalar_close
        _impl.wrap_util: get_name unary_to_nary"""),
    "tracer": Row("what is traced, its value, and functions that derivatives are defined for.", """
        _impl.tracer: Box getval isbox notrace_primitive primitive register_notrace
        _impl.core: TraceStack new_box trace_stack
        _impl.wrap_util: subvals toposort wraps""", advice={
        "trace Node find_top_boxed_args box_types box_type_mappings notrace_primitives trace_primitives_map":
            "traces are covector's: write a transform with covector.extend.Trace, or read a graph by "
            "covector.make_graph"}),
    "util": Row("tuples with elements replaced, and a topological order.", """
        _impl.test_util: quick_grad_check
        _impl.wrap_util: func subval subvals toposort"""),
    "wrap_util": Row("operators of functions of one argument made operators of any argument.",
        "_impl.wrap_util: get_doc get_name unary_to_nary wrap_nary_f wraps"),
}

"""The public modules of torch that only re-export: each a row, its docstring and where its names live."""

from dataclasses import dataclass

from ...reexports import Row as _Row


@dataclass(frozen=True, slots=True)
class Row(_Row):
    """A module of torch.

    Args:
        unbuilt: a line `module: Class function()` for names that programs import, and whose use is refused.
        published: whether its functions and classes say that they are of this module.
        operations: whether it has the operations whose names begin with its own, as `linalg.norm`.
    """

    unbuilt: str = ""
    published: bool = False
    operations: bool = False


REFUSED = "names that programs import; their use is refused."
LAYERS = """
    nn.modules.activation: CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid
        LogSoftmax Mish MultiheadAttention PReLU RReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin
        Softplus Softshrink Softsign Tanh Tanhshrink Threshold
    nn.modules.adaptive: AdaptiveLogSoftmaxWithLoss
    nn.modules.batchnorm: BatchNorm1d BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d
        SyncBatchNorm
    nn.modules.channelshuffle: ChannelShuffle
    nn.modules.container: Container ModuleDict ModuleList ParameterDict ParameterList Sequential
    nn.modules.conv: Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d
        LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d
    nn.modules.distance: CosineSimilarity PairwiseDistance
    nn.modules.dropout: AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout
    nn.modules.flatten: Flatten Unflatten
    nn.modules.fold: Fold Unfold
    nn.modules.instancenorm: InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d
        LazyInstanceNorm2d LazyInstanceNorm3d
    nn.modules.linear: Bilinear Identity LazyLinear Linear
    nn.modules.linear_cross_entropy_options: LinearCrossEntropyOptions
    nn.modules.loss: BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss
        HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss LinearCrossEntropyLoss MSELoss MarginRankingLoss
        MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss NLLLoss2d PoissonNLLLoss
        SmoothL1Loss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss
    nn.modules.module: Module
    nn.modules.normalization: CrossMapLRN2d GroupNorm LayerNorm LocalResponseNorm RMSNorm
    nn.modules.padding: CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d
        ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d
        ZeroPad1d ZeroPad2d ZeroPad3d
    nn.modules.pixelshuffle: PixelShuffle PixelUnshuffle
    nn.modules.pooling: AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d
        AdaptiveMaxPool2d AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d LPPool1d LPPool2d LPPool3d MaxPool1d
        MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d FractionalMaxPool2d FractionalMaxPool3d
    nn.modules.rnn: GRU GRUCell LSTM LSTMCell RNN RNNBase RNNCell RNNCellBase
    nn.modules.sparse: Embedding EmbeddingBag
    nn.modules.transformer: Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder
        TransformerEncoderLayer
    nn.modules.upsampling: Upsample UpsamplingBilinear2d UpsamplingNearest2d"""
MODULES = {
    "_VF": Row("operations by their names, as modules call them.", later="""
        _impl.module.sequences: gru_cell lstm_cell rnn_relu_cell rnn_tanh_cell
        _impl.module.sequences: gru lstm rnn_relu rnn_tanh"""),
    "_custom_ops": Row("names that programs import; torch.library.custom_op defines operations.", unbuilt="""
        _custom_ops: custom_op() get_ctx() impl() impl_abstract() impl_backward() impl_save_for_backward()"""),

    "_dynamo.eval_frame": Row("the modules that torch.compile gives.", "_impl.module.compiled: OptimizedModule",
        published=True),
    "_dynamo.utils": Row(", as far as other people's modules look at it.",
        "_impl.platform.queries: is_compile_supported"),

    "_higher_order_ops": Row("conditions, loops and scans of functions of tensors.", """
        _higher_order_ops.associative_scan: associative_scan
        _higher_order_ops.cond: cond
        _higher_order_ops.map: map
        _higher_order_ops.scan: scan
        _higher_order_ops.while_loop: while_loop"""),
    "_higher_order_ops.associative_scan": Row("", "_impl.func.associative: associative_scan"),
    "_higher_order_ops.cond": Row("", "_impl.func.control_flow: cond"),
    "_higher_order_ops.map": Row("", "_impl.func.control_flow: map=map_", exported="*"),
    "_higher_order_ops.scan": Row("", "_impl.func.control_flow: scan"),
    "_higher_order_ops.while_loop": Row("", "_impl.func.control_flow: while_loop"),
    "_jit_internal": Row("marks of functions for a compiler that is not here; functions are left as they are.",
        """
        jit: Final Future _overload _overload_method export ignore is_scripting unused
            _copy_to_script_wrapper=unused"""),
    "_lowrank": Row("decompositions of low rank, under the name by which programs reach them.",
        "_impl.module.low_rank: pca_lowrank svd_lowrank"),
    "_ops": Row(REFUSED, unbuilt="_ops: HigherOrderOperator OpOverload OpOverloadPacket OperatorBase"),

    "_subclasses": Row(", as far as other people's modules look at it.",
        "_subclasses.fake_tensor: FakeTensor FakeTensorMode"),
    "_subclasses.fake_tensor": Row(", as far as other people's modules look at it: no tensor is fake.",
        "_impl.platform.queries: is_fake", unbuilt="_subclasses.fake_tensor: FakeTensor FakeTensorMode"),
    "_tensor": Row("the class of tensors, under the name by which programs and files reach it.",
        "_impl.types.tensor_type: Tensor"),
    "_utils": Row(", as far as other people's modules look at it: lists of tensors as one flat tensor.", """
        _impl.platform.compiling: is_compiling=no
        _impl.module.composed_functions: _element_size=element_size _flatten_dense_tensors=flatten_dense_tensors
            _unflatten_dense_tensors=unflatten_dense_tensors"""),

    "amp": Row("mixed precision.", """
        _impl.platform.autocast: autocast custom_bwd custom_fwd is_autocast_available
        _impl.platform.grad_scaler: GradScaler""", exported="* autocast_mode grad_scaler", published=True),
    "amp.autocast_mode": Row("", "_impl.platform.autocast: autocast custom_bwd custom_fwd is_autocast_available"),
    "amp.grad_scaler": Row("", "_impl.platform.grad_scaler: GradScaler OptState", exported="*"),

    "ao": Row(", as far as programs import it."),
    "ao.quantization": Row(REFUSED, unbuilt="""
        ao.quantization: DeQuantStub QuantStub QConfig convert() fuse_modules() fuse_modules_qat()
            get_default_qat_qconfig() get_default_qconfig() get_default_qconfig_mapping() prepare() prepare_qat()
            quantize() quantize_dynamic() FakeQuantize FakeQuantizeBase HistogramObserver MinMaxObserver
            ObserverBase PerChannelMinMaxObserver""", package=True),

    "autograd": Row("the engine, modes, Function, and the tools around the graph.", """
        _impl.dispatch.backward_calls: backward grad
        _impl.graph_view.running: _unsafe_preserve_version_counter=unsafe_preserve_version_counter
        _impl.modes.engine_switches: _force_original_view_tracking=force_original_view_tracking
            is_multithreading_enabled is_view_replay_enabled
        _impl.saved.saved: SavedTensor
        autograd.grad_mode: enable_grad inference_mode no_grad set_grad_enabled enforce_grad_layout_policy
            set_multithreading_enabled
        autograd.function: Function NestedIOFunction
        autograd.gradcheck: gradcheck gradgradcheck""", later="""
        autograd.anomaly_mode: detect_anomaly set_detect_anomaly
        autograd.profiler: _profiler_enabled kineto_available
        autograd.profiler_util: DeviceType
        autograd.variable: Variable""", exported="""
        * DeviceType Variable anomaly_mode detect_anomaly forward_ad function functional grad_mode graph
        kineto_available profiler profiler_util set_detect_anomaly variable"""),
    "autograd.anomaly_mode": Row("detect_anomaly and set_detect_anomaly.",
        "_impl.modes.anomaly_mode: detect_anomaly set_detect_anomaly"),
    "autograd.function": Row("", """
        _impl.function.function: Function InplaceFunction NestedIOFunction
        _impl.function.function_node: BackwardCFunction FunctionCtx FunctionMeta _ContextMethodMixin=FunctionCtx
        _impl.function.once_differentiable: once_differentiable""", exported="*", published=True),
    "autograd.functional": Row("products with Jacobians and Hessians of functions of tensors.", """
        _impl.functional.dense: hessian jacobian
        _impl.functional.dense: _as_tuple _autograd_grad _construct_standard_basis_for _grad_postprocess
            _grad_preprocess _tuple_postprocess
        _impl.functional.products: hvp jvp vhp vjp"""),
    "autograd.grad_mode": Row(", the module that older scripts import the modes from.", """
        _impl.modes.engine_switches: enforce_grad_layout_policy set_multithreading_enabled
        _impl.modes.grad_mode: enable_grad inference_mode no_grad set_grad_enabled""", exported="*",
        published=True),
    "autograd.graph": Row("nodes, edges, and hooks around saved values and several gradients.", """
        _impl.graph_view.graph_tools: GradientEdge Node allow_mutation_on_saved_tensors
            disable_saved_tensors_hooks get_gradient_edge increment_version register_multi_grad_hook save_on_cpu
            saved_tensors_hooks set_warn_on_accumulate_grad_stream_mismatch""", exported="*"),
    "autograd.profiler": Row("profile, record_function, and ranges for external profilers.", """
        _impl.profiler.events: MEMORY_EVENT_NAME DeviceType EventList FunctionEvent
        _impl.profiler.nvprof: EnforceUnique load_nvprof parse_nvprof_trace
        _impl.profiler.profiler: _profiler_enabled emit_itt emit_nvtx kineto_available profile record_function"""),
    "autograd.profiler_util": Row("events of a profile, alone, averaged and in lists.", """
        _impl.profiler.events: MEMORY_EVENT_NAME DeviceType EventList FormattedTimesMixin FunctionEvent
            FunctionEventAvg Interval Kernel _format_time"""),
    "autograd.variable": Row("Variable, the old name of a tensor.",
        "_impl.tensor.variable: ImperativeEngine Variable VariableMeta"),

    "backends": Row("libraries that PyTorch computes with, and whether they are here."),
    "backends.cpu": Row("which of PyTorch's kernels for the processor are here.",
        "_impl.platform.queries: get_cpu_capability", exported="*"),
    "backends.mkl": Row("not here; its switches are kept, and change nothing.",
        "_impl.platform.queries: is_available"),
    "backends.mps": Row("not here; its switches are kept, and change nothing.",
        "_impl.platform.queries: is_available is_built"),
    "backends.openmp": Row("not here; its switches are kept, and change nothing.",
        "_impl.platform.queries: is_available"),
    "backends.opt_einsum": Row("it is here, and finds the order of contractions.",
        "_impl.platform.queries: is_available=is_here", values={"enabled": True, "strategy": "auto"}),
    "compiler": Row("nothing is compiled; decorators give functions as they are.", """
        _impl.module.compiled: compile
        _impl.platform.compiling: allow_in_graph=as_it_is assume_constant_result=as_it_is disable=as_it_is
            is_compiling=no is_dynamo_compiling=no is_exporting=no
        _impl.platform.queries: reset cudagraph_mark_step_begin""",
        unbuilt="compiler: list_backends() set_stance()"),

    "cpu": Row("the device that is always there, for programs that are written for any.", """
        _impl.platform.cpu: Event Stream StreamContext current_device current_stream device_count is_available
            is_initialized set_device stream synchronize""", exported="*", published=True),
    "cpu.amp": Row("mixed precision on the CPU, under its older names.", "_impl.platform.cpu: GradScaler autocast",
        published=True),

    "cuda.amp.autocast_mode": Row("", "cuda.amp: autocast custom_bwd custom_fwd"),
    "cuda.amp.grad_scaler": Row("", "cuda.amp: GradScaler", later="_impl.platform.grad_scaler: OptState"),
    "cuda.comm": Row(REFUSED, unbuilt="""
        cuda.comm: broadcast() broadcast_coalesced() gather() reduce_add() reduce_add_coalesced() scatter()"""),
    "cuda.memory": Row("what is known of the device's memory.", """
        _impl.platform.gpu: empty_cache max_memory_allocated max_memory_reserved mem_get_info memory_allocated
            memory_reserved memory_stats reset_peak_memory_stats"""),
    "cuda.random": Row("the states of the device's random numbers.", """
        _impl.platform.gpu: get_rng_state get_rng_state_all initial_seed manual_seed manual_seed_all seed seed_all
            set_rng_state set_rng_state_all"""),
    "cuda.streams": Row("", "cuda: Event Stream"),

    "distributed._composable": Row(REFUSED),
    "distributed._composable.fsdp": Row("the older place of names of torch.distributed.fsdp.", """
        distributed.fsdp: CPUOffload FSDPModule FullStateDictConfig FullyShardedDataParallel MixedPrecision
            MixedPrecisionPolicy ShardingStrategy StateDictType fully_shard"""),
    "distributed._tensor": Row("the older name of torch.distributed.tensor.", """
        distributed.tensor: DTensor DeviceMesh Partial Placement Replicate Shard distribute_module
            distribute_tensor"""),
    "distributed._tensor.experimental": Row(REFUSED,
        unbuilt="distributed.tensor.experimental: implicit_replication() local_map()"),
    "distributed.algorithms": Row(REFUSED),
    "distributed.algorithms.join": Row(REFUSED, unbuilt="distributed.algorithms.join: Join JoinHook Joinable"),
    "distributed.autograd": Row(REFUSED, "_impl.platform.queries: is_available",
        unbuilt="distributed.autograd: DistAutogradContext context backward() get_gradients()"),
    "distributed.constants": Row("how long operations between processes would wait.",
        "distributed: default_pg_timeout", exported="* default_pg_nccl_timeout",
        values={"default_pg_nccl_timeout": None}),
    "distributed.device_mesh": Row(REFUSED, unbuilt="distributed.device_mesh: DeviceMesh init_device_mesh()"),
    "distributed.elastic": Row("one process."),
    "distributed.elastic.multiprocessing": Row("one process."),
    "distributed.elastic.multiprocessing.errors": Row("one process, whose errors go where errors go.",
        "_impl.platform.compiling: record=as_it_is",
        unbuilt="distributed.elastic.multiprocessing.errors: ChildFailedError"),
    "distributed.fsdp": Row(REFUSED, unbuilt="""
        distributed.fsdp: BackwardPrefetch CPUOffload FSDPModule FullOptimStateDictConfig FullStateDictConfig
            FullyShardedDataParallel LocalStateDictConfig MixedPrecision MixedPrecisionPolicy
            ShardedStateDictConfig ShardingStrategy StateDictType fully_shard()""", package=True),
    "distributed.nn": Row(REFUSED, unbuilt="""
        distributed.nn: RemoteModule all_gather() all_reduce() all_to_all() all_to_all_single() broadcast()
            gather() reduce() reduce_scatter() scatter()""", package=True),
    "distributed.optim": Row(REFUSED,
        unbuilt="distributed.optim: DistributedOptimizer PostLocalSGDOptimizer ZeroRedundancyOptimizer"),
    "distributed.rpc": Row(REFUSED, "_impl.platform.queries: is_available", unbuilt="""
        distributed.rpc: BackendType PyRRef RRef RpcBackendOptions TensorPipeRpcBackendOptions WorkerInfo
            get_worker_info() init_rpc() remote() rpc_async() rpc_sync() shutdown()"""),
    "distributed.tensor": Row(REFUSED, unbuilt="""
        distributed.tensor: DTensor DeviceMesh Partial Placement Replicate Shard distribute_module()
            distribute_tensor()""", package=True),

    "distributions": Row("probability distributions, their transforms, and divergences between them.", """
        _impl.distributions.categorical: Categorical Multinomial OneHotCategorical
            OneHotCategoricalStraightThrough RelaxedBernoulli RelaxedOneHotCategorical
        _impl.distributions.distribution: Independent MixtureSameFamily
        _impl.distributions.discrete: Bernoulli Binomial ContinuousBernoulli Geometric NegativeBinomial Poisson
        _impl.distributions.distribution: Distribution ExponentialFamily
        _impl.distributions.location_scale: Cauchy Laplace Normal StudentT Uniform VonMises
        _impl.distributions.normal_vectors: LowRankMultivariateNormal MultivariateNormal
        _impl.distributions.positive: Chi2 Exponential FisherSnedecor Gamma GeneralizedPareto
        _impl.distributions.random_matrices: LKJCholesky Wishart
        _impl.distributions.registry: biject_to transform_to
        _impl.distributions.simplex: Beta Dirichlet
        _impl.distributions.distribution: TransformedDistribution
        _impl.distributions.transformed_families: Gumbel HalfCauchy HalfNormal InverseGamma Kumaraswamy
            LogisticNormal LogNormal Pareto Weibull
        distributions.kl: kl_divergence register_kl
        distributions.transforms: AbsTransform AffineTransform CatTransform ComposeTransform CorrCholeskyTransform
            CumulativeDistributionTransform ExpTransform IndependentTransform LowerCholeskyTransform
            PositiveDefiniteTransform PowerTransform ReshapeTransform SigmoidTransform SoftmaxTransform
            SoftplusTransform StackTransform StickBreakingTransform TanhTransform Transform identity_transform""",
        exported="*"),
    "distributions.bernoulli": Row("", "_impl.distributions.discrete: Bernoulli"),
    "distributions.beta": Row("", "_impl.distributions.simplex: Beta"),
    "distributions.binomial": Row("", "_impl.distributions.discrete: Binomial"),
    "distributions.categorical": Row("", "_impl.distributions.categorical: Categorical"),
    "distributions.cauchy": Row("", "_impl.distributions.location_scale: Cauchy"),
    "distributions.chi2": Row("", "_impl.distributions.positive: Chi2"),
    "distributions.constraint_registry": Row("transforms to sets of values.",
        "_impl.distributions.registry: ConstraintRegistry biject_to transform_to"),
    "distributions.constraints": Row(
        "sets of values; programs ask by the private names of their classes what a set is.", """
        _impl.distributions.constraints: Constraint MixtureSameFamilyConstraint _Boolean _Cat _CorrCholesky
            _Dependent _DependentProperty _GreaterThan _GreaterThanEq _HalfOpenInterval _IndependentConstraint
            _IntegerGreaterThan _IntegerInterval _IntegerLessThan _Interval _LessThan _LowerCholesky
            _LowerTriangular _Multinomial _OneHot _PositiveDefinite _PositiveSemidefinite _Real _Simplex _Square
            _Stack _Symmetric boolean cat corr_cholesky dependent dependent_property greater_than greater_than_eq
            half_open_interval independent integer_interval interval is_dependent less_than lower_cholesky
            lower_triangular multinomial nonnegative nonnegative_integer one_hot positive positive_definite
            positive_integer positive_semidefinite real real_vector simplex square stack symmetric unit_interval""",
        exported="*"),
    "distributions.continuous_bernoulli": Row("", "_impl.distributions.discrete: ContinuousBernoulli"),
    "distributions.dirichlet": Row("", "_impl.distributions.simplex: Dirichlet"),
    "distributions.distribution": Row("", "_impl.distributions.distribution: Distribution"),
    "distributions.exp_family": Row("", "_impl.distributions.distribution: ExponentialFamily"),
    "distributions.exponential": Row("", "_impl.distributions.positive: Exponential"),
    "distributions.fishersnedecor": Row("", "_impl.distributions.positive: FisherSnedecor"),
    "distributions.gamma": Row("", "_impl.distributions.positive: Gamma"),
    "distributions.generalized_pareto": Row("", "_impl.distributions.positive: GeneralizedPareto"),
    "distributions.geometric": Row("", "_impl.distributions.discrete: Geometric"),
    "distributions.gumbel": Row("", "_impl.distributions.transformed_families: Gumbel"),
    "distributions.half_cauchy": Row("", "_impl.distributions.transformed_families: HalfCauchy"),
    "distributions.half_normal": Row("", "_impl.distributions.transformed_families: HalfNormal"),
    "distributions.independent": Row("", "_impl.distributions.distribution: Independent"),
    "distributions.inverse_gamma": Row("", "_impl.distributions.transformed_families: InverseGamma"),
    "distributions.kl": Row("Kullback-Leibler divergences.", """
        _impl.distributions.divergence: kl_divergence register_kl
        _impl.distributions.divergences:
        _impl.distributions.cross_divergences:"""),
    "distributions.kumaraswamy": Row("", "_impl.distributions.transformed_families: Kumaraswamy"),
    "distributions.laplace": Row("", "_impl.distributions.location_scale: Laplace"),
    "distributions.lkj_cholesky": Row("", "_impl.distributions.random_matrices: LKJCholesky"),
    "distributions.log_normal": Row("", "_impl.distributions.transformed_families: LogNormal"),
    "distributions.logistic_normal": Row("", "_impl.distributions.transformed_families: LogisticNormal"),
    "distributions.lowrank_multivariate_normal": Row("",
        "_impl.distributions.normal_vectors: LowRankMultivariateNormal"),
    "distributions.mixture_same_family": Row("", "_impl.distributions.distribution: MixtureSameFamily"),
    "distributions.multinomial": Row("", "_impl.distributions.categorical: Multinomial"),
    "distributions.multivariate_normal": Row("", """
        _impl.distributions.distribution: Distribution
        _impl.distributions.normal_vectors: MultivariateNormal _batch_mahalanobis=mahalanobis _batch_mv=times
            _precision_to_scale_tril=precision_to_scale_tril"""),
    "distributions.negative_binomial": Row("", "_impl.distributions.discrete: NegativeBinomial"),
    "distributions.normal": Row("", "_impl.distributions.location_scale: Normal"),
    "distributions.one_hot_categorical": Row("",
        "_impl.distributions.categorical: OneHotCategorical OneHotCategoricalStraightThrough"),
    "distributions.pareto": Row("", "_impl.distributions.transformed_families: Pareto"),
    "distributions.poisson": Row("", "_impl.distributions.discrete: Poisson"),
    "distributions.relaxed_bernoulli": Row("",
        "_impl.distributions.categorical: LogitRelaxedBernoulli RelaxedBernoulli"),
    "distributions.relaxed_categorical": Row("",
        "_impl.distributions.categorical: ExpRelaxedCategorical RelaxedOneHotCategorical"),
    "distributions.studentT": Row("", "_impl.distributions.location_scale: StudentT"),
    "distributions.transformed_distribution": Row("", "_impl.distributions.distribution: TransformedDistribution"),
    "distributions.transforms": Row("invertible maps.", """
        _impl.distributions.elementwise_transforms: AbsTransform AffineTransform CumulativeDistributionTransform
            ExpTransform PowerTransform SigmoidTransform SoftplusTransform TanhTransform
        _impl.distributions.transforms: ComposeTransform IndependentTransform ReshapeTransform Transform
            _InverseTransform identity_transform
        _impl.distributions.vector_transforms: CatTransform CorrCholeskyTransform LowerCholeskyTransform
            PositiveDefiniteTransform SoftmaxTransform StackTransform StickBreakingTransform""", exported="*"),
    "distributions.uniform": Row("", "_impl.distributions.location_scale: Uniform"),
    "distributions.utils": Row("parameters of distributions.", """
        _impl.distributions.parameters: broadcast_all clamp_probs euler_constant lazy_property logits_to_probs
            probs_to_logits _standard_normal=standard_normal _sum_rightmost=sum_rightmost tril_matrix_to_vec
            vec_to_tril_matrix""", exported="* _standard_normal _sum_rightmost", package=True),
    "distributions.von_mises": Row("", "_impl.distributions.location_scale: VonMises"),
    "distributions.weibull": Row("", "_impl.distributions.transformed_families: Weibull"),
    "distributions.wishart": Row("", "_impl.distributions.random_matrices: Wishart"),
    "export": Row(REFUSED, unbuilt="""
        export: Constraint Dim ExportBackwardSignature ExportGraphSignature ExportedProgram ModuleCallEntry
            ModuleCallSignature ShapesCollection UnflattenedModule dims() export() export_for_training() load()
            register_dataclass() save() unflatten()"""),
    "fft": Row("", "_impl.ops.spectra: *FREQUENCIES", published=True, operations=True),
    "func": Row("functional transforms of functions of tensors.", """
        _impl.func.batch: vmap
        _impl.func.forward: jvp
        _impl.func.functional: functionalize
        _impl.func.jacobian: hessian jacfwd jacrev
        _impl.func.functional: linearize
        _impl.func.modules: functional_call replace_all_batch_norm_modules_ stack_module_state
        _impl.func.rearrange: rearrange
        _impl.func.reverse: grad grad_and_value vjp
        _impl.func.functional: debug_unwrap""", exported="*", published=True, package=True),
    "functional": Row("functions of torch under the module that PyTorch writes them in.", """
        .: Tensor atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist
            chain_matmul einsum istft lu meshgrid norm pca_lowrank split stft svd_lowrank tensordot unique
            unique_consecutive unravel_index"""),
    "futures": Row("results that come later, from threads and callbacks of this process.",
        "_impl.platform.futures: Future collect_all wait_all", exported="*", published=True),

    "fx": Row("names that programs import; graphs of modules are not recorded, and their use is refused.",
        "_impl.platform.compiling: wrap=as_it_is", unbuilt="""
        fx: CodeGen Graph GraphModule Interpreter Node Proxy Tracer Transformer replace_pattern() symbolic_trace()"""),
    "fx.experimental": Row(", as far as other people's modules look at it."),
    "fx.experimental.proxy_tensor": Row(
        ", as far as other people's modules look at it: nothing is being traced.",
        "_impl.platform.queries: get_proxy_mode", unbuilt="fx.experimental.proxy_tensor: make_fx()"),
    "fx.graph": Row(REFUSED, unbuilt="fx: CodeGen Graph"),
    "fx.graph_module": Row(REFUSED, unbuilt="fx: GraphModule"),
    "fx.interpreter": Row(REFUSED, unbuilt="fx: Interpreter Transformer"),
    "fx.proxy": Row(REFUSED,
        unbuilt="fx: Attribute GraphAppendingTracer ParameterProxy Proxy TraceError TracerBase"),
    "masked": Row("reductions and normalizations over the elements that a mask keeps.", """
        _impl.ops.masked: amax amin argmax argmin cumprod cumsum log_softmax logaddexp logsumexp mean median norm
            normalize prod softmax softmin std sum var
        _impl.platform.queries: is_masked_tensor""",
        unbuilt="masked: MaskedTensor as_masked_tensor() masked_tensor()", published=True, package=True),
    "mps": Row("there is no such device; what asks whether there is learns so, everything else raises.",
        "_impl.platform.queries: *MPS", published=True),
    "nested": Row(REFUSED, unbuilt="""
        nested: as_nested_tensor() masked_select() narrow() nested_tensor() nested_tensor_from_jagged()
            to_padded_tensor()""", package=True),

    "nn": Row(
        "modules, their parameters, and functions of tensors. Modules are loaded when they are first asked for.",
        "_impl.types.parameter: Parameter", later=LAYERS + """
        nn.parameter: Buffer UninitializedBuffer UninitializedParameter
        nn.parallel: DataParallel""",
        exported="* attention common_types functional grad init modules parallel parameter utils"),
    "nn.functional": Row("", later="""
        _impl.module.fractional_pooling: fractional_max_pool2d fractional_max_pool2d_with_indices
            fractional_max_pool3d fractional_max_pool3d_with_indices
        _impl.module.composed_functions: conv_tbc linear_cross_entropy native_channel_shuffle""", published=True,
        operations=True),
    "nn.init": Row("values that parameters begin with.", """
        _impl.module.initialization: _calculate_correct_fan _calculate_fan_in_and_fan_out calculate_gain constant
            constant_ dirac dirac_ eye eye_ kaiming_normal kaiming_normal_ kaiming_uniform kaiming_uniform_ normal
            normal_ ones_ orthogonal orthogonal_ sparse sparse_ trunc_normal_ uniform uniform_ xavier_normal
            xavier_normal_ xavier_uniform xavier_uniform_ zeros_"""),
    "nn.modules": Row("the layers. Each file is loaded when something of it is first asked for.", later=LAYERS,
        exported="*"),
    "nn.modules.utils": Row("numbers given once for all axes.", """
        _impl.module.tuples: _pair _quadruple _single _triple consume_prefix_in_state_dict_if_present
            _list_with_default=list_with_default _ntuple=ntuple _reverse_repeat_tuple=reverse_repeat_tuple""",
        exported="*", package=True),
    "nn.parallel": Row("modules over several devices, of which there is one here.", """
        nn.parallel.data_parallel: DataParallel data_parallel
        nn.parallel.distributed: DistributedDataParallel
        nn.parallel.scatter_gather: gather scatter""", unbuilt="nn.parallel: parallel_apply() replicate()",
        exported="DataParallel DistributedDataParallel data_parallel"),
    "nn.parallel.scatter_gather": Row("names that programs import; there are no devices to spread tensors over.",
        unbuilt="nn.parallel.scatter_gather: gather() scatter() scatter_kwargs()"),
    "nn.parameter": Row("what modules register.", """
        _impl.module.held_tensors: Buffer UninitializedBuffer UninitializedParameter UninitializedTensorMixin
            is_lazy
        _impl.types.parameter: Parameter _ParameterMeta=ParameterType""", published=True),
    "nn.utils": Row(
        "gradients clipped, parameters as vectors, weights in other forms, sequences of several lengths.", """
        nn.utils.clip_grad: clip_grad_norm clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ get_total_norm
        nn.utils.convert_parameters: parameters_to_vector vector_to_parameters
        nn.utils.fusion: fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights
        nn.utils.init: skip_init
        nn.utils.memory_format: convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format
        nn.utils.spectral_norm: remove_spectral_norm spectral_norm
        nn.utils.weight_norm: remove_weight_norm weight_norm"""),
    "nn.utils.rnn": Row("sequences of several lengths.", """
        _impl.module.packed_sequences: PackedSequence invert_permutation pack_padded_sequence pack_sequence
            pad_packed_sequence pad_sequence unpack_sequence unpad_sequence"""),

    "onnx": Row("nothing is exported here, which programs ask for in their layers.",
        "_impl.platform.queries: is_in_onnx_export register_custom_op_symbolic",
        unbuilt="onnx: ONNXProgram OperatorExportTypes TrainingMode export()", package=True),
    "onnx.operators": Row(REFUSED, unbuilt="onnx.operators: reshape_from_tensor_shape() shape_as_tensor()"),
    "onnx.symbolic_helper": Row("what describes operations to an export, which is refused.",
        "_impl.platform.queries: parse_args"),
    "onnx.symbolic_opset11": Row("names that programs import; an export would use them, and it is refused.",
        unbuilt="onnx.symbolic_opset11: select() squeeze() unsqueeze()"),

    "optim": Row("optimizers, and schedules of their learning rates.", """
        _impl.optim.matrices: Adafactor Muon
        optim.adadelta: Adadelta
        optim.adagrad: Adagrad
        optim.adam: Adam
        optim.adamax: Adamax
        optim.adamw: AdamW
        optim.asgd: ASGD
        optim.lbfgs: LBFGS
        optim.nadam: NAdam
        optim.optimizer: Optimizer
        optim.radam: RAdam
        optim.rmsprop: RMSprop
        optim.rprop: Rprop
        optim.sgd: SGD
        optim.sparse_adam: SparseAdam"""),
    "optim.adadelta": Row("Adadelta, and its step as a function.", """
        _impl.optim.adaptive: Adadelta
        _impl.optim.functions: adadelta""", published=True),
    "optim.adagrad": Row("Adagrad, and its step as a function.", """
        _impl.optim.adaptive: Adagrad
        _impl.optim.functions: adagrad""", published=True),
    "optim.adam": Row("Adam, and its step as a function.", """
        _impl.optim.adam: Adam
        _impl.optim.functions: adam""", published=True),
    "optim.adamax": Row("Adamax, and its step as a function.", """
        _impl.optim.adam: Adamax
        _impl.optim.functions: adamax""", published=True),
    "optim.adamw": Row("AdamW, and its step as a function.", """
        _impl.optim.adam: AdamW
        _impl.optim.functions: adamw""", published=True),
    "optim.asgd": Row("ASGD, and its step as a function.", """
        _impl.optim.functions: asgd
        _impl.optim.gradient_descent: ASGD""", published=True),
    "optim.lbfgs": Row("LBFGS, and the line search that programs call by its private name.", """
        _impl.optim.lbfgs: LBFGS
        _impl.optim.lbfgs: _cubic_interpolate _strong_wolfe""", published=True),
    "optim.lr_scheduler": Row("schedules of learning rates.", """
        _impl.optim.combined_schedules: ChainedScheduler ReduceLROnPlateau SequentialLR
        _impl.optim.cycles: CyclicLR OneCycleLR
        _impl.optim.decays: ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts ExponentialLR LinearLR
            MultiStepLR PolynomialLR StepLR
        _impl.optim.schedule: EPOCH_DEPRECATION_WARNING LambdaLR LRScheduler MultiplicativeLR _LRScheduler""",
        published=True),
    "optim.nadam": Row("NAdam, and its step as a function.", """
        _impl.optim.adam: NAdam
        _impl.optim.functions: nadam""", published=True),
    "optim.optimizer": Row("the base class, and hooks of all optimizers.", """
        _impl.optim.authoring: DeviceDict DeviceDtypeDict ParamsT StateDict
            _default_to_fused_or_foreach=default_to_fused_or_foreach _get_scalar_dtype=get_scalar_dtype
            _get_value=get_value _group_tensors_by_device_and_dtype=group_tensors_by_device_and_dtype
            _stack_if_compiling=stack_if_compiling _to_scalar=to_scalar
            _use_grad_for_differentiable=use_grad_for_differentiable _view_as_real=view_as_real_
        _impl.optim.optimizer: Optimizer register_optimizer_step_post_hook register_optimizer_step_pre_hook
            required""", published=True),
    "optim.radam": Row("RAdam, and its step as a function.", """
        _impl.optim.adam: RAdam
        _impl.optim.functions: radam""", published=True),
    "optim.rmsprop": Row("RMSprop, and its step as a function.", """
        _impl.optim.adaptive: RMSprop
        _impl.optim.functions: rmsprop""", published=True),
    "optim.rprop": Row("Rprop, and its step as a function.", """
        _impl.optim.functions: rprop
        _impl.optim.gradient_descent: Rprop""", published=True),
    "optim.sgd": Row("SGD, and its step as a function.", """
        _impl.optim.functions: sgd
        _impl.optim.gradient_descent: SGD""", published=True),
    "optim.sparse_adam": Row("SparseAdam.", "_impl.optim.adam: SparseAdam", published=True),
    "package": Row(REFUSED, unbuilt="""
        package: Directory EmptyMatchError GlobGroup Importer ObjMismatchError ObjNotFoundError OrderedImporter
            PackageExporter PackageImporter PackagingError is_from_package()"""),
    "profiler": Row("profiles of the steps of a loop.", """
        _impl.profiler.scheduled: ProfilerAction ProfilerActivity profile schedule supported_activities
            tensorboard_trace_handler
        autograd.profiler: kineto_available record_function""", unbuilt="profiler: ExecutionTraceObserver",
        published=True, package=True),
    "quantization": Row("the older name of torch.ao.quantization.", """
        ao.quantization: DeQuantStub QConfig QuantStub convert fuse_modules get_default_qat_qconfig
            get_default_qconfig prepare prepare_qat quantize quantize_dynamic FakeQuantize MinMaxObserver
            ObserverBase""", package=True),
    "quasirandom": Row("Sobol sequences.", "_impl.random.sobol: SobolEngine", exported="*"),
    "random": Row("", """
        _impl.random.generator: Generator default_generator fork_rng get_rng_state initial_seed manual_seed seed
            set_rng_state"""),
    "return_types": Row("the named tuples that operations with several outputs return.",
        "_impl.types.output_tuples: *TUPLES"),

    "signal": Row(""),
    "signal.windows": Row("", "_impl.factories.window_functions: *WINDOWS", published=True),
    "special": Row("", published=True, operations=True),
    "storage": Row("", "_impl.tensor.storage: TypedStorage UntypedStorage"),
    "testing": Row("comparing tensors, with what differs in the message.",
        "_impl.tensor.comparison: assert_allclose assert_close make_tensor", unbuilt="testing: FileCheck",
        published=True),

    "utils": Row("", "_impl.tensor.copying: swap_tensors"),
    "utils._foreach_utils": Row("groups of tensors for operations on lists.", """
        _impl.optim.authoring: _device_has_foreach_support=device_has_foreach_support
            _group_tensors_by_device_and_dtype=group_tensors_by_device_and_dtype"""),
    "utils._python_dispatch": Row("nothing dispatches in Python here; its modes are refused.",
        "_impl.platform.queries: is_traceable_wrapper_subclass", unbuilt="""
        utils._python_dispatch: BaseTorchDispatchMode TorchDispatchMode return_and_correct_aliasing()
            transform_subclass()"""),
    "utils.checkpoint": Row("regions whose saved tensors are recomputed in the backward pass.", """
        _impl.checkpoint.checkpoint: CheckpointFunction DefaultDeviceType check_backward_validity checkpoint
            checkpoint_sequential detach_variable get_device_states noop_context_fn set_checkpoint_debug_enabled
            set_checkpoint_early_stop set_device_states
        _impl.checkpoint.recompute: CheckpointError GraphExecGroup
        _impl.checkpoint.selective: CheckpointPolicy SelectiveCheckpointContext
            create_selective_checkpoint_contexts"""),
    "utils.collect_env": Row(REFUSED,
        unbuilt="utils.collect_env: SystemEnv get_env_info() get_pretty_env_info() main()"),
    "utils.cpp_extension": Row(
        ", as far as other people's modules import it: nothing is compiled against PyTorch here.", unbuilt="""
        utils.cpp_extension: BuildExtension CppExtension() CUDAExtension() SyclExtension() include_paths()
            library_paths() load() load_inline()""", values={"CUDA_HOME": None}),
    "utils.data": Row("datasets, samplers and loaders.", """
        _impl.platform.queries: functional_datapipe
        utils.data.dataloader: DataLoader default_collate default_convert get_worker_info
        utils.data.dataset: ChainDataset ConcatDataset Dataset IterableDataset StackDataset Subset TensorDataset
            random_split
        utils.data.distributed: DistributedSampler
        utils.data.sampler: BatchSampler RandomSampler Sampler SequentialSampler SubsetRandomSampler
            WeightedRandomSampler""", unbuilt="utils.data: DataChunk DFIterDataPipe IterDataPipe MapDataPipe",
        exported="""
        BatchSampler ChainDataset ConcatDataset DataLoader Dataset DistributedSampler IterableDataset
        RandomSampler Sampler SequentialSampler StackDataset Subset SubsetRandomSampler TensorDataset
        WeightedRandomSampler default_collate default_convert get_worker_info random_split"""),
    "utils.data._utils": Row(", as far as other people's modules look at it.",
        values={"MP_STATUS_CHECK_INTERVAL": 5.0}),
    "utils.data._utils.collate": Row("items put together.", """
        _impl.data.collating: default_collate_err_msg_format=MESSAGE collate collate_numpy_array_fn=collate_arrays
            collate_float_fn=collate_floats collate_int_fn=collate_ints collate_numpy_scalar_fn=collate_scalars
            collate_str_fn=collate_strings collate_tensor_fn=collate_tensors default_collate
            default_collate_fn_map default_convert"""),
    "utils.data._utils.worker": Row("what a worker process knows of itself.",
        "_impl.data.workers: WorkerInfo get_worker_info"),
    "utils.data.dataset": Row("datasets.", """
        _impl.data.datasets: ChainDataset ConcatDataset Dataset IterableDataset StackDataset Subset TensorDataset
            random_split""", published=True),
    "utils.data.distributed": Row("the sampler of one of several processes.",
        "_impl.data.samplers: DistributedSampler", published=True),
    "utils.data.sampler": Row("samplers.", """
        _impl.data.samplers: BatchSampler RandomSampler Sampler SequentialSampler SubsetRandomSampler
            WeightedRandomSampler""", published=True),
    "utils.dlpack": Row("", "_impl.interchange.dlpack: from_dlpack to_dlpack", published=True),
    "utils.hooks": Row("what registering a hook returns.",
        "_impl.graph.hooks: RemovableHandle unserializable_hook warn_if_has_hooks",
        later="_impl.module.backward_hooks: BackwardHook"),
    "utils.model_zoo": Row("names that programs import; nothing is fetched, and their use is refused.",
        unbuilt="utils.model_zoo: tqdm load_url()"),
    "utils.safetensors": Row("files of safetensors, read and written without that package, by the names it has.",
        "_impl.interchange.safetensors: SafetensorError load load_file safe_open save save_file", exported="*",
        published=True),
    "utils.tensorboard": Row(", by the package tensorboardX.", "utils.tensorboard.writer: SummaryWriter",
        package=True),
    "version": Row("the version of PyTorch whose behaviour this module has, and what it lacks.",
        values={"__version__": "2.13.0+covector", "debug": False,
        **dict.fromkeys(("cuda", "hip", "rocm", "xpu", "git_version"))}),
    "xpu": Row("there is no such device; what asks whether there is learns so, everything else raises.",
        "_impl.platform.queries: *XPU", published=True),
}

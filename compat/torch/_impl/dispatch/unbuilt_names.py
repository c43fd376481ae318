"""The names of PyTorch's public namespace that are not implemented; tests/compat/unbuilt.py writes them."""

# The part of the name up to the module, then those of the module.
NAMES = """\
-: AVG AggregationType AliasDb AnyType Argument ArgumentSpec AwaitType BFloat16Storage BFloat16Tensor
    BenchmarkConfig BenchmarkExecutionStats Block BoolStorage BoolType BufferDict ByteStorage CallStack
    Capsule CharStorage ClassType Code CompilationUnit CompleteArgumentSpec ComplexDoubleStorage
    ComplexFloatStorage ComplexType ConcreteModuleType ConcreteModuleTypeBuilder DeepCopyMemoTable
    DeserializationStorageContext DeviceObjType DictType DispatchKey DispatchKeySet DoubleStorage EnumType
    ErrorReport ExcludeDispatchKeyGuard ExecutionPlan FatalError FileCheck FloatStorage FloatType
    FunctionSchema FutureType GradScaler Gradient Graph GraphExecutorState HalfStorage IODescriptor
    InferredType IntStorage IntType InterfaceType JITException ListType LiteScriptModule LockingLogger
    LongStorage ModuleDict Node NoneType NoopLogger NumberType OperatorInfo OptionalType ParameterDict
    PyObjectType QInt32Storage QInt8Storage QUInt2x4Storage QUInt4x2Storage QUInt8Storage RRefType SUM
    ScriptClass ScriptClassFunction ScriptDict ScriptDictIterator ScriptDictKeyIterator ScriptList
    ScriptListIterator ScriptMethod ScriptModuleSerializer ScriptObject ScriptObjectProperty
    SerializationStorageContext ShortStorage StaticModule Storage StreamObjType StringType SymBoolType
    SymIntType Tag TensorType ThroughputBenchmark TracingState TupleType Type UnionType Use Value
    adaptive_max_pool1d affine_grid_generator alpha_dropout_ ao batch_norm batch_norm_backward_elemt
    batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats batch_norm_gather_stats_with_counts
    batch_norm_stats batch_norm_update_stats binary_cross_entropy_with_logits bit bits16 bits1x8 bits2x4
    bits4x2 bits8 ccol_indices_copy choose_qparams_optimized classes classproperty col_indices_copy
    compiled_with_cxx11_abi conv_tbc convolution cosine_embedding_loss cpp crow_indices_copy ctc_loss
    cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution cudnn_convolution_add_relu
    cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler cudnn_is_acceptable dequantize
    dropout_ eig embedding embedding_bag embedding_renorm_ empty_permuted empty_quantized export
    fake_quantize_per_channel_affine fake_quantize_per_tensor_affine fbgemm_linear_fp16_weight
    fbgemm_linear_fp16_weight_fp32_activation fbgemm_linear_int8_weight
    fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight fbgemm_pack_gemm_matrix_fp16
    fbgemm_pack_quantized_matrix feature_alpha_dropout_ feature_dropout feature_dropout_ fork frobenius_norm
    from_file fused_moving_avg_obs_fake_quant get_autocast_ipu_dtype get_autocast_xla_dtype get_device_module
    get_file_path grid_sampler grid_sampler_2d grid_sampler_3d has_lapack has_mkl has_openmp has_spectral
    hash_tensor hinge_embedding_loss hsmm hspmm hub import_ir_module import_ir_module_from_buffer indices_copy
    init_num_threads instance_norm int1 int2 int3 int4 int5 int6 int7 int_repr is_autocast_ipu_enabled
    is_autocast_xla_enabled is_vulkan_available jagged kl_div legacy_contiguous_format lobpcg lstsq
    margin_ranking_loss matrix_rank max_pool1d_with_indices merge_type_from_type_comment miopen_batch_norm
    miopen_convolution miopen_convolution_add_relu miopen_convolution_relu miopen_convolution_transpose
    miopen_ctc_loss miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d mkldnn_convolution
    mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d mkldnn_rnn_layer monitor mtia
    native_batch_norm native_channel_shuffle native_dropout native_group_norm native_layer_norm native_norm
    nested nuclear_norm package parse_ir parse_schema parse_type_comment per_channel_affine
    per_channel_affine_float_qparams per_channel_symmetric per_tensor_affine per_tensor_symmetric
    poisson_nll_loss prepare_multiprocessing_environment profiler_allow_cudagraph_cupti_lazy_reinit_cuda12
    q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qint32 qint8
    qscheme quantization quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic
    quantized_batch_norm quantized_gru quantized_gru_cell quantized_lstm quantized_lstm_cell
    quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d quantized_rnn_relu_cell
    quantized_rnn_tanh_cell quint2x4 quint4x2 quint8 resize_as_sparse_ row_indices_copy saddmm
    set_autocast_ipu_dtype set_autocast_ipu_enabled set_autocast_xla_dtype set_autocast_xla_enabled slice_copy
    slice_inverse smm solve sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_csc_tensor
    sparse_csr_tensor sspaddmm sym_constrain_range sym_constrain_range_for_size sym_fresh_size sym_ite sym_max
    sym_min sym_not sym_sqrt sym_sum symeig thread_safe_generator torch_version triplet_margin_loss uint1
    uint2 uint3 uint4 uint5 uint6 uint7 unify_type_list unsafe_split_with_sizes values_copy wait
accelerator: Graph current_device_idx empty_host_cache get_device_capability get_memory_info graphs
    max_memory_allocated max_memory_reserved memory memory_stats reset_accumulated_memory_stats
    reset_peak_memory_stats set_device_idx
autograd: profiler_legacy
autograd.graph: region_activation_memory_budget set_override_stale_capture_stream
autograd.profiler: KinetoStepTracker MemRecordsAcc
backends: cusparselt kleidiai mha miopen nnpack python_native quantized
compiler: config get_default_backend keep_portable_guards_unsafe keep_tensor_guards_unsafe list_backends
    load_cache_artifacts load_compiled_function nested_compile_region save_cache_artifacts set_default_backend
    set_enable_guard_collectives set_stance skip_all_guards_unsafe skip_guard_on_all_nn_modules_unsafe
    skip_guard_on_globals_unsafe skip_guard_on_inbuilt_nn_modules_unsafe substitute_in_graph wrap_numpy
cpu: Event Stream StreamContext amp current_stream get_capabilities is_initialized set_device stream
cuda: BFloat16Storage BFloat16Tensor BoolStorage ByteStorage CUDAPluggableAllocator CharStorage
    ComplexDoubleStorage ComplexFloatStorage CudaError DeferredCudaCallError DoubleStorage ExternalStream
    FloatStorage GreenContext HalfStorage IntStorage LongStorage ShortStorage caching_allocator_alloc
    caching_allocator_delete caching_allocator_disabled caching_allocator_enable can_device_access_peer
    change_current_allocator check_error clock_rate cudaStatus cudart current_blas_handle
    current_solver_handle default_generators device_memory_used gds get_allocator_backend get_gencode_flags
    get_per_process_memory_fraction get_stream_from_external get_sync_debug_mode graphs green_contexts
    has_half has_magma host_memory_stats host_memory_stats_as_nested_dict is_current_stream_capturing
    is_tf32_supported jiterator list_gpu_processes max_memory_cached memory memory_cached memory_snapshot
    memory_stats_as_nested_dict memory_usage nccl nvtx power_draw profiler random
    reset_accumulated_host_memory_stats reset_accumulated_memory_stats reset_max_memory_allocated
    reset_max_memory_cached reset_peak_host_memory_stats set_sync_debug_mode sparse streams temperature
    tunable use_mem_pool
distributed: AllToAllOptions AllreduceCoalescedOptions AllreduceOptions BackendConfig BarrierOptions
    BroadcastOptions DebugLevel DeviceMesh DistBackendError DistError DistNetworkError DistStoreError
    GatherOptions GroupName ProcessGroupGloo QueueEmptyError ReduceOptions ReduceScatterOptions ScatterOptions
    all_gather_coalesced all_gather_single all_reduce_coalesced breakpoint c10d_logger config constants
    default_pg_timeout distributed_c10d get_backend_config get_debug_level get_default_backend_for_device
    get_node_local_rank get_pg_count logging_handlers new_subgroups_by_enumeration record_comm reduce_op
    reduce_scatter_single register_rendezvous_handler remote_device rendezvous set_debug_level
    set_debug_level_from_env shrink_group split_group supports_complex utils
fft: Tensor
fx: config experimental graph graph_module has_side_effect immutable_collections interpreter map_arg node
    operator_schemas passes proxy subgraph_rewriter tensor_type traceback
jit: Attribute CompilationUnit Error annotations enable_onednn_fusion export_opnames freeze frontend load
    onednn_fusion_enabled optimize_for_inference save set_fusion_strategy strict_fusion trace_module
library: fallthrough_kernel get_ctx get_kernel infer_schema register_autocast register_torch_dispatch
    triton_op wrap_triton
linalg: common_notes
masked: MaskedTensor as_masked_tensor is_masked_tensor masked_tensor maskedtensor
mps: compile_shader current_allocated_memory driver_allocated_memory event load_metallib profiler
    recommended_max_memory set_per_process_memory_fraction
multiprocessing: reductions
nn: factory_kwargs intrinsic qat quantizable quantized
nn.attention: WARN_FOR_UNFUSED_KERNELS activate_flash_attention_impl current_flash_attention_impl
    list_flash_attention_impls register_flash_attention_impl restore_flash_attention_impl
nn.functional: BroadcastingList1 BroadcastingList2 BroadcastingList3 GRID_SAMPLE_INTERPOLATION_MODES
    GRID_SAMPLE_PADDING_MODES ScalingType SwizzleType TYPE_CHECKING Tensor assert_int_or_pair boolean_dispatch
    grouped_mm handle_torch_function has_torch_function has_torch_function_unary has_torch_function_variadic
    reproducibility_notes scaled_grouped_mm scaled_mm sparse_support_notes tf32_notes
nn.parallel: comm gather parallel_apply replicate scatter scatter_gather
onnx: ExportableModule InputObserver OnnxExporterError errors ops
optim: swap_in_optimizer_params_and_state
overrides: enable_reentrant_dispatch get_ignored_functions get_testing_overrides redispatch_function
profiler: DeviceType ExecutionTraceObserver itt profiler
random: thread_safe_generator
serialization: LoadEndianness SourceChangeWarning StorageType check_module_version_greater_or_equal
    default_restore_location get_crc32_options get_default_load_endianness get_default_mmap_options
    location_tag mkdtemp normalize_storage_type register_package set_crc32_options set_default_load_endianness
    set_default_mmap_options skip_data storage_to_tensor_type validate_cuda_device validate_hpu_device
sparse: SparseSemiStructuredTensor SparseSemiStructuredTensorCUSPARSELT SparseSemiStructuredTensorCUTLASS
    as_sparse_gradcheck semi_structured to_sparse_semi_structured
testing: FileCheck assert_allclose
utils: ThroughputBenchmark backcompat backend_registration cmake_prefix_path collect_env cpp_backtrace
    deterministic generate_methods_for_privateuse1_backend get_cpp_backtrace rename_privateuse1_backend
    set_module throughput_benchmark weak
utils.data: DFIterDataPipe DataChunk IterDataPipe MapDataPipe argument_validation datapipes
    functional_datapipe graph graph_settings guaranteed_datapipes_determinism non_deterministic
    runtime_validation runtime_validation_disabled
utils.checkpoint: SAC_IGNORED_OPS
utils.dlpack: DLDeviceType
xpu: MemPool StreamContext XPUGraph XPUPluggableAllocator can_device_access_peer change_current_allocator
    clock_rate default_generators device device_memory_used device_of get_arch_list get_device_capability
    get_device_name get_device_properties get_gencode_flags get_per_process_memory_fraction get_rng_state_all
    get_stream_from_external graph graph_pool_handle graphs init initial_seed is_current_stream_capturing
    is_tf32_supported make_graphed_callables mem_get_info memory memory_snapshot memory_stats
    memory_stats_as_nested_dict memory_usage power_draw random reset_accumulated_memory_stats
    reset_peak_memory_stats set_per_process_memory_fraction set_rng_state_all set_stream stream streams
    temperature use_mem_pool utilization
"""

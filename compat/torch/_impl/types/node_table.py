"""Saved values of the nodes of PyTorch 2.13.0; tests/compat/tables/generate.py writes it, edit that.

A line is names of nodes, a colon, and a word for each thing they save: `saved_words` of the generator says how.
"""

NODES = """\
Abs0 Acos0 Acosh0 AdaptiveMaxPool2D0 AdaptiveMaxPool3D0 Angle0 Asin0 Asinh0 Atan0 Atanh0 Cos0 Cosh0 Digamma0 Elu0 Erf0 Erfc0 Erfinv0 Hardsigmoid0 Hardswish0 I00 Lgamma0 LinalgMatrixExp0 Log0 Log100 Log1P0 Log20 LogSigmoid0 Mish0 NanToNum0 NllLoss0 Renorm0 Silu0 Sin0 Sinc0 Sinh0 SpecialEntr0: self=0
Add0 Rsub0 Rsub1 Sub0: alpha!1
Addbmm0 Baddbmm0: batch2=2?1 alpha!1 batch1=1?2 beta!1
Addcdiv0: tensor2=2 value!1 tensor1=1?2
Addcmul0: tensor2=2?1 value!1 tensor1=1?2
Addmm0 Aminmax0 AsStrided0 Bernoulli0 Bernoulli1 Bernoulli2 Cauchy0 Ceil0 Chunk0 Clone0 Conj0 ConstantPadNd0 Deg2Rad0 Embedding0 Exponential0 FftC2C0 FftC2R0 FftR2C0 Fill0 Fill1 Fill2 Floor0 Fmod0 Frac0 Frexp0 Geometric0 Geqrf0 Index0 IndexAdd0 IndexCopy0 IndexPut0 LinalgCross0 LinalgEigh0 LinalgLu0 LinalgLuSolve0 LinalgQr0 LinalgSvd0 LogNormal0 LuUnpack0 MaskedScatter0 Neg0 Normal0 Poisson0 Rad2Deg0 Random0 Random1 Random2 Remainder0 Round0 Round1 Sign0 SpecialZeta2 T0 ToCopy0 Trunc0 Unfold0 Uniform0 Unique20 UniqueConsecutive0 UnsafeView0 ViewAsComplex0 ViewAsReal0 Zero0 torch::autograd::CopyBackwards:
Addmv0: vec=2?1 alpha!1 beta!1 mat=1?2
Addr0: beta!1 vec2=2?1 alpha!1 vec1=1?2
Amax0 Amin0 Logsumexp0 Std0: self=0 dim!s keepdim!False result=-1
AsStridedScatter0: size!s storage_offset!None
Atan20 Fmax0 Fmin0 Logaddexp0 Logaddexp20 Matmul0 Maximum0 Minimum0 SpecialXlog1Py0 Xlogy0: self=0 other=1
AvgPool2D0 AvgPool3D0: self=0 ceil_mode!False count_include_pad!True divisor_override!None
BinaryCrossEntropy0: self=0 target=1 weight=2
BinaryCrossEntropyWithLogits0: self=0 target=1 weight=2 pos_weight=3
Bmm0: self=0?1 mat2=1?0
Cat0 Stack0: dim!0
Celu0: self=0 alpha!1.0
Celu1: alpha!1.0 result=-1
ChannelShuffle0: groups!
Cholesky0: upper!False result=-1
CholeskyInverse0: self=0 upper!False result=-1
CholeskySolve0: self=0 input2=1 upper!False result=-1
Clamp0: self=0 min=1 max=2
Clamp1: self=0 min!None max!None
ClampMax0: self=0 max!
ClampMax1: self=0 max=1
ClampMin0: self=0 min!
ClampMin1: self=0 min=1
Complex0: imag=1?1 real=0?0
Convolution0: input=0?1 weight=1?0
Copysign0: self=0?0 result=-1
Copysign1 LinalgPinv0 Max1 Median0 Min1 Nanmedian0 Prod0 Sgn0 SpecialErfcx0 SpecialI0E0 SpecialI10 SpecialI1E0 SpecialLogNdtr0: self=0 result=-1
Cummax0 Cummin0: self=0 dim!
Cumprod0 Logcumsumexp0: self=0 dim! result=-1
Cumsum0: dim!
DiagEmbed0 DiagonalScatter0: offset!0
Diagonal0: self_sym_sizes offset@ dim1@ dim2@
Dist0: self=0 other=1 p!2 result=-1
Div0: self=0?1 other=1
Div2: self=0?1 other=1 rounding_mode!
Div3: other! rounding_mode!
Dot0: tensor=1?0 self=0?1
Elu1: alpha!1 scale!1 input_scale!1 result=-1
Exp0 Exp20 Expm10 Polar0 Reciprocal0 Relu0 Rsqrt0 Sigmoid0 SpecialNdtri0 Sqrt0 Tan0 Tanh0: result=-1
Expand0 Squeeze0 Sum0 Trace0 View0: self_sym_sizes
Flip0: dims!s
Fmod1 Igamma0 Igammac0 Remainder1 SpecialZeta0: self=0?1 other=1?1
Gather0: self=0 dim! index=1 sparse_grad!False
Gelu0: self=0 approximate!none
Glu0: self=0 dim!-1
Hardshrink0 Softshrink0: self=0 lambd!0.5
Hardtanh0: self=0 min_val!-1 max_val!1
HuberLoss0: self=0 target=1 delta!1.0
Hypot0: other=1?1 self=0?0 result=-1
IndexFill0 IndexFill1 Scatter0 Scatter1: dim! index=1
IndexReduce0: self=0 dim! index=1 source=2 reduce! include_self!True result=-1
IndexSelect0: self_sym_sizes dim! index=1
Kthvalue0 Mode0: self_sym_sizes dim!-1 keepdim!False
Ldexp0: other=1?0 result=-1
LeakyRelu0: self=0 negative_slope!0.01
LeakyRelu1: negative_slope!0.01 result=-1
Lerp0: weight!
Lerp1: weight=2 self=0?2 end=1?2
LinalgCholeskyEx0: L=-1
LinalgDet0 LinalgSlogdet0 LinalgSolveEx0: A=0
LinalgEig0: eigenvalues=-1
LinalgHouseholderProduct0: input=0 tau=1 result=-1
LinalgInvEx0: inverse=-1
LinalgLstsq0: self=0 b=1 solution=-1
LinalgLuFactorEx0: pivot!True LU=-1
LinalgSolveTriangular0: self=0 upper! left!True unitriangular!False result=-1
LinalgVectorNorm0: self=0 ord!2 dim!s keepdim!False result=-1
Linear0: input=0 weight=1
LogSoftmax0 Softmax0: result=-1 dim!
Logit0: self=0 eps!None
MaskedFill0 MaskedFill1: mask=1
MaskedSelect0: self=0 mask=1
Max0 Median1 Min0 Nanmedian1: self_sym_sizes dim! keepdim!False
MaxPool2D0 MaxPool2DWithIndices0 MaxPool3DWithIndices0: self=0 ceil_mode!False
MaxUnpool2D0 MaxUnpool3D0: indices=1
Mean0: self_sym_sizes self_sym_numel
Mean1: self_sym_sizes self_sym_numel dim!s keepdim!False
Mm0: self=0?1 mat2_sym_sizes=1 self_sym_sizes mat2=1?0
MseLoss0 SoftMarginLoss0: self=0 target=1
Mul0 Vdot0: self=0?1 other=1?0
MultiMarginLoss0: self=0 target=1 p!1 margin!1 weight=2
Mv0: vec=1?0 self=0?1
Mvlgamma0: self=0 p!
Nansum0 Var0 VarMean0: self=0 dim!s keepdim!False
NarrowCopy0: self_sym_sizes dim! start! length!
NativeBatchNorm0 NativeLayerNorm0: input=0
Nextafter0: self=0?0 other=1?0
Norm0: self=0 p!2 result=-1
Norm1: self=0 p! dim!s keepdim!False result=-1
Norm2: self=0 p! result=-1
Norm3: self=0 p! dim!s keepdim! result=-1
Normal1: mean_sym_sizes
Normal2: std_sym_sizes
Normal3: mean_sym_sizes std_sym_sizes=1
Ormqr0: self=0 input2=1 input3=2 left!True transpose!False result=-1
Permute0: dims@
PixelShuffle0: upscale_factor!
PixelUnshuffle0: downscale_factor!
Polygamma0: self=1
Pow0: self=0 exponent^
Pow1: self=0 exponent=1 result=-1
Pow2: exponent=1 result=-1
PreluKernel0: self=0 weight=1
Prod1: self=0 dim! keepdim!False result=-1
Put0: index=1 accumulate!False source=2?2
Repeat0: self_sym_sizes repeats!s
Roll0: shifts!s dims!s
Rot900: k!1 dims!s
ScatterAdd0: dim! index=1?2
ScatterReduce0: self=0 dim! index=1 src=2 reduce! include_self!True result=-1
SegmentReduce0: data=0 reduce! lengths=1 offsets=3 axis!0 initial!None result=-1
Select0: self_sym_sizes dim@ index@
SelectScatter0: dim! index!
Slice0: self_sym_sizes dim@ start@ end@ step@
SliceScatter0: dim!0 start!None end!None step!1
SmoothL1Loss0: self=0 target=1 beta!1.0
Softplus0: self=0 beta!1 threshold!20
Sort0 Sort1 Topk0: self_sym_sizes dim!-1
SpecialXlog1Py1 SpecialZeta1: self! other=0
SpecialXlog1Py2 Xlogy2: self=0 other!
SplitWithSizes0: self_sym_sizes split_sizes@ dim@
Squeeze1 Squeeze2: self_sym_sizes dim@
StdMean0: self=0 dim!s keepdim!False result0=-1
Sum1: self_sym_sizes dim!s keepdim!False
Take0: self=0 index=1
Threshold0 Threshold1: self=0 threshold!
Transpose0: dim0@ dim1@
TriangularSolve0: self=0 A=1 upper!True transpose!False unitriangular!False solution=-1
Tril0 Triu0: diagonal!0
Unbind0 Unsqueeze0: dim@
UnsafeSplit0: self_sym_sizes split_size! dim!0
Where0: condition=0
Xlogy1: other=1
"""

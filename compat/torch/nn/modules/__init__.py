"""torch.nn.modules: the layers. Each file is loaded when something of it is first asked for."""

from ..... import _engine
from ..._impl.dispatch import surface as _surface

LazyModule = _engine.LazyModule

activation = LazyModule("covector.compat.torch.nn.modules.activation")
adaptive = LazyModule("covector.compat.torch.nn.modules.adaptive")
batchnorm = LazyModule("covector.compat.torch.nn.modules.batchnorm")
channelshuffle = LazyModule("covector.compat.torch.nn.modules.channelshuffle")
container = LazyModule("covector.compat.torch.nn.modules.container")
conv = LazyModule("covector.compat.torch.nn.modules.conv")
distance = LazyModule("covector.compat.torch.nn.modules.distance")
dropout = LazyModule("covector.compat.torch.nn.modules.dropout")
flatten = LazyModule("covector.compat.torch.nn.modules.flatten")
fold = LazyModule("covector.compat.torch.nn.modules.fold")
instancenorm = LazyModule("covector.compat.torch.nn.modules.instancenorm")
lazy = LazyModule("covector.compat.torch.nn.modules.lazy")
linear = LazyModule("covector.compat.torch.nn.modules.linear")
linear_cross_entropy_options = LazyModule("covector.compat.torch.nn.modules.linear_cross_entropy_options")
loss = LazyModule("covector.compat.torch.nn.modules.loss")
module = LazyModule("covector.compat.torch.nn.modules.module")
normalization = LazyModule("covector.compat.torch.nn.modules.normalization")
padding = LazyModule("covector.compat.torch.nn.modules.padding")
pixelshuffle = LazyModule("covector.compat.torch.nn.modules.pixelshuffle")
pooling = LazyModule("covector.compat.torch.nn.modules.pooling")
rnn = LazyModule("covector.compat.torch.nn.modules.rnn")
sparse = LazyModule("covector.compat.torch.nn.modules.sparse")
transformer = LazyModule("covector.compat.torch.nn.modules.transformer")
upsampling = LazyModule("covector.compat.torch.nn.modules.upsampling")
utils = LazyModule("covector.compat.torch.nn.modules.utils")

_HOMES = {
    activation: """
        CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish
        MultiheadAttention PReLU RReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin Softplus
        Softshrink Softsign Tanh Tanhshrink Threshold""",
    adaptive: "AdaptiveLogSoftmaxWithLoss",
    batchnorm: "BatchNorm1d BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d SyncBatchNorm",
    channelshuffle: "ChannelShuffle",
    container: "Container ModuleDict ModuleList ParameterDict ParameterList Sequential",
    conv: """
        Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d LazyConv2d LazyConv3d
        LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d""",
    distance: "CosineSimilarity PairwiseDistance",
    dropout: "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
    flatten: "Flatten Unflatten",
    fold: "Fold Unfold",
    instancenorm: """
        InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d""",
    linear: "Bilinear Identity LazyLinear Linear",
    linear_cross_entropy_options: "LinearCrossEntropyOptions",
    loss: """
        BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss
        HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss LinearCrossEntropyLoss MSELoss MarginRankingLoss
        MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss NLLLoss2d PoissonNLLLoss
        SmoothL1Loss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss""",
    module: "Module",
    normalization: "CrossMapLRN2d GroupNorm LayerNorm LocalResponseNorm RMSNorm",
    padding: """
        CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d
        ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d
        ZeroPad3d""",
    pixelshuffle: "PixelShuffle PixelUnshuffle",
    pooling: """
        AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d
        AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d LPPool1d LPPool2d LPPool3d MaxPool1d MaxPool2d MaxPool3d
        MaxUnpool1d MaxUnpool2d MaxUnpool3d FractionalMaxPool2d FractionalMaxPool3d""",
    rnn: "GRU GRUCell LSTM LSTMCell RNN RNNBase RNNCell RNNCellBase",
    sparse: "Embedding EmbeddingBag",
    transformer: "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder TransformerEncoderLayer",
    upsampling: "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}
__all__ = sorted(_HOME)
__getattr__ = _surface.getter("nn.modules.", "torch.nn.modules", parts=_HOME)
del LazyModule


def __dir__():  # noqa: N807
    return sorted({*globals(), *_HOME})

"""torch.optim: optimizers, and schedules of their learning rates."""

from .._impl.optim.adam import Adam as Adam, Adamax as Adamax, AdamW as AdamW, NAdam as NAdam, RAdam as RAdam
from .._impl.optim.adaptive import Adadelta as Adadelta, Adagrad as Adagrad, RMSprop as RMSprop
from .._impl.optim.gradient_descent import ASGD as ASGD, SGD as SGD, Rprop as Rprop
from .._impl.optim.lbfgs import LBFGS as LBFGS
from .._impl.optim.matrices import Adafactor as Adafactor, Muon as Muon
from .._impl.optim.optimizer import Optimizer as Optimizer
from .._impl.optim.sparse_adam import SparseAdam as SparseAdam
from . import lr_scheduler as lr_scheduler, swa_utils as swa_utils

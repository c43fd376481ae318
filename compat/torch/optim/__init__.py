"""torch.optim: optimizers, and schedules of their learning rates."""

from .._impl.dispatch import surface as _surface
from .._impl.optim.matrices import Adafactor as Adafactor, Muon as Muon
from . import lr_scheduler as lr_scheduler, swa_utils as swa_utils
from .adadelta import Adadelta as Adadelta
from .adagrad import Adagrad as Adagrad
from .adam import Adam as Adam
from .adamax import Adamax as Adamax
from .adamw import AdamW as AdamW
from .asgd import ASGD as ASGD
from .lbfgs import LBFGS as LBFGS
from .nadam import NAdam as NAdam
from .optimizer import Optimizer as Optimizer
from .radam import RAdam as RAdam
from .rmsprop import RMSprop as RMSprop
from .rprop import Rprop as Rprop
from .sgd import SGD as SGD
from .sparse_adam import SparseAdam as SparseAdam

__getattr__ = _surface.getter("optim.", "torch.optim")

"""torch.nn.modules.adaptive: softmax over many classes, frequent ones first."""

from collections import namedtuple

from ..._impl.module.module import Module
from ..._impl.public_names import F, torch
from .container import ModuleList, Sequential
from .linear import Linear

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Logarithms of probabilities of classes sorted by frequency, and their loss; Grave et al. (2017).

    Args:
        in_features, n_classes: of the inputs `(N, in_features)`, and how many classes there are.
        cutoffs: where clusters of rare classes begin.
        div_value: by how much the vectors of a cluster are shorter than those of the one before.

    >>> import covector.compat.torch as torch
    >>> m = torch.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10], div_value=2.0)
    >>> out, loss = m(torch.ones(3, 8), torch.tensor([0, 5, 15]))
    >>> out.shape, loss.shape
    (torch.Size([3]), torch.Size([]))
    """

    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None):
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (cutoffs != sorted(cutoffs) or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1
                or len(set(cutoffs)) != len(cutoffs) or any(int(c) != c for c in cutoffs)):
            raise ValueError("cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                             "where each value is between 1 and n_classes-1")
        made = {"device": device, "dtype": dtype}
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, **made)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            short = int(in_features // div_value ** (i + 1))
            self.tail.append(Sequential(Linear(in_features, short, bias=False, **made),
                                        Linear(short, self.cutoffs[i + 1] - self.cutoffs[i], bias=False, **made)))

    def reset_parameters(self):
        """Draw all weights."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_, target_):
        """The logarithms of the targets' probabilities, `(N,)`, and minus their mean."""
        single = target_.dim() == 0
        if target_.dim() not in (0, 1):
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if target_.dim() == 1 and input_.size(0) != target_.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input_.dim() != target_.dim() + 1:
            raise RuntimeError(f"{target_.dim()}D target tensor expects {target_.dim() + 1}D input tensors, but found "
                               f"inputs with size {input_.size()}")
        x, target = (input_.unsqueeze(0), target_.unsqueeze(0)) if single else (input_, target_)
        used = 0
        places = target.clone()  # of the class or its cluster in the head
        parts, rows = [], []
        for i, (low, high) in enumerate(zip([0, *self.cutoffs], self.cutoffs)):
            row = ((target >= low) & (target < high)).nonzero().squeeze(1)
            used += row.numel()
            if i and row.numel():
                within = F.log_softmax(self.tail[i - 1](x.index_select(0, row)), dim=1)
                parts.append(within.gather(1, (target[row] - low).unsqueeze(1)).squeeze(1))
                rows.append(row)
                places[row] = self.shortlist_size + i - 1
        if used != target.size(0):
            raise RuntimeError(f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                               f"[{target.min().item()}, {target.max().item()}] were found. ")
        out = F.log_softmax(self.head(x), dim=1).gather(1, places.unsqueeze(1)).squeeze(1)
        if parts:
            out = out.index_add(0, torch.cat(rows), torch.cat(parts))
        loss = (-out).mean()
        return _ASMoutput(out.squeeze(0) if single else out, loss)

    def _get_full_log_prob(self, input, head_output):
        head = F.log_softmax(head_output, dim=1)
        parts = [head[:, :self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            parts.append(F.log_softmax(cluster(input), dim=1) + head[:, self.shortlist_size + i].unsqueeze(1))
        return torch.cat(parts, 1)

    def log_prob(self, input):
        """The logarithms of the probabilities of all classes, `(N, n_classes)`."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input):
        """The class of the highest probability, `(N,)`."""
        return self.log_prob(input).argmax(1)

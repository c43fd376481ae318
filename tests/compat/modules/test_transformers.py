"""Attention and transformers as modules: masks, order of norms, copies of layers, messages."""

import warnings

from harness import message, normal


def filled(torch, module):
    module = module.double()
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(normal(torch, *p.shape, seed=k) * 0.5)
    return module


def summary(torch, module, out):
    """An output, and of each gradient one number."""
    module.zero_grad()
    (torch.cos(torch.arange(out.numel()).double()).reshape(out.shape) * out).sum().backward()
    return [out.detach().contiguous(), [None if p.grad is None else float(p.grad.abs().sum()) for p in
                                        module.parameters()]]


def script_attention_modules(torch):
    x, y = normal(torch, 3, 2, 4), normal(torch, 5, 2, 4, seed=1)
    hidden = torch.tensor([[False] * 4 + [True], [False, True, False, False, False]])
    late = torch.ones(3, 5, dtype=torch.bool).triu(1)
    found = []
    for args in ({}, {"bias": False}, {"add_bias_kv": True}, {"add_zero_attn": True}, {"kdim": 4, "vdim": 4}):
        m = filled(torch, torch.nn.MultiheadAttention(4, 2, **args))
        for masks in ({}, {"key_padding_mask": hidden, "attn_mask": late}, {"average_attn_weights": False}):
            out, weights = m(x, y, y, **masks)
            found.append([*summary(torch, m, out), weights.detach()])
        found.append(m(x, y, y, need_weights=False)[0].detach().contiguous())
    m = filled(torch, torch.nn.MultiheadAttention(4, 2, kdim=3, vdim=5, batch_first=True))
    out, weights = m(x, normal(torch, 3, 6, 3), normal(torch, 3, 6, 5))
    found.append([*summary(torch, m, out), weights.detach(), list(m.state_dict()), repr(m)])
    single, weights = filled(torch, torch.nn.MultiheadAttention(4, 2))(x[0], x[0], x[0])
    return [*found, single.detach(), weights.detach(), message(lambda: torch.nn.MultiheadAttention(4, 3)),
            message(lambda: torch.nn.MultiheadAttention(0, 3))]


def script_encoders(torch):
    x = normal(torch, 2, 4, 4)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for first in (False, True):
            for batch_first in (False, True):
                layer = torch.nn.TransformerEncoderLayer(4, 2, 6, 0.0, "gelu" if first else "relu", 1e-4, batch_first,
                    first)
                m = filled(torch, torch.nn.TransformerEncoder(layer, 2, torch.nn.LayerNorm(4),
                    enable_nested_tensor=False))
                n, batch = (4, 2) if batch_first else (2, 4)
                causal = torch.nn.Transformer.generate_square_subsequent_mask(n, dtype=torch.float64)
                hidden = torch.zeros(batch, n, dtype=torch.bool)
                hidden[1, -1] = True
                for masks in ({}, {"mask": causal}, {"src_key_padding_mask": hidden}, {"mask": causal,
                    "is_causal": True},
                              {"mask": causal != 0, "src_key_padding_mask": hidden}):
                    found.append(summary(torch, m, m(x, **masks)))
                found.append([list(m.state_dict())[:3], len(m.state_dict()), repr(m)])
    return found


def script_decoders(torch):
    tgt, memory = normal(torch, 3, 2, 4), normal(torch, 5, 2, 4, seed=1)
    found = []
    for first in (False, True):
        layer = torch.nn.TransformerDecoderLayer(4, 2, 6, 0.0, norm_first=first, bias=not first)
        m = filled(torch, torch.nn.TransformerDecoder(layer, 2))
        causal = torch.nn.Transformer.generate_square_subsequent_mask(3, dtype=torch.float64)
        hidden = torch.zeros(2, 5, dtype=torch.bool)
        hidden[0, 2] = True
        for masks in ({}, {"tgt_mask": causal}, {"memory_key_padding_mask": hidden},
                      {"tgt_mask": causal, "tgt_is_causal": True, "memory_mask": torch.zeros(3, 5).double()}):
            found.append(summary(torch, m, m(tgt, memory, **masks)))
        found.append([list(m.state_dict()), repr(m)])
    return found


def script_whole_transformers(torch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = filled(torch, torch.nn.Transformer(4, 2, 1, 1, 6, 0.0))
        own = torch.nn.Transformer(4, 2, custom_encoder=torch.nn.Identity(), num_decoder_layers=1)
    src, tgt = normal(torch, 3, 2, 4), normal(torch, 5, 2, 4, seed=1)
    mask = m.generate_square_subsequent_mask(5, dtype=torch.float64)
    return [summary(torch, m, m(src, tgt)), summary(torch, m, m(src, tgt, tgt_mask=mask)), mask, list(m.state_dict()),
            m(src[:, 0], tgt[:, 0]).detach(), type(own.encoder).__name__,
            *[message(f) for f in (
                lambda: m(src, tgt[:, :1]), lambda: m(src[..., :3], tgt),
                lambda: torch.nn.TransformerEncoderLayer(4, 2, activation="tanh"))]]

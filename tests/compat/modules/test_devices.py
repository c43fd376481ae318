"""Modules, optimizers, files and torch.cuda with tensors on a GPU: `pytest -m gpu`, without one with `--stand-in`."""

import copy
import io
import pickle

import numpy as np
import pytest

import covector.compat.torch as torch
from covector.compat.torch import nn
from covector.compat.torch.utils import safetensors
from covector.compat.torch.utils.data import DataLoader, TensorDataset

pytestmark = pytest.mark.gpu
GPU = torch.device("cuda", 0)


@pytest.fixture(autouse=True)
def device():
    if not torch.cuda.is_available():
        pytest.skip("CuPy is not installed or finds no device: nothing ran on a GPU")


def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.LazyLinear(2))


def places(module):
    return {str(t.device) for t in (*module.parameters(), *module.buffers())}


def test_a_module_moves_with_its_gradients_and_stays_the_same_objects():
    m, x = net(), torch.arange(15.0).reshape(5, 3)
    m(x).sum().backward()
    weight, expected = m[0].weight, m[0].weight.grad.clone()
    assert m.cuda() is m and places(m) == {"cuda:0"}
    assert m[0].weight is weight and weight.grad.is_cuda
    assert torch.equal(m.cpu()[0].weight.grad, expected) and places(m) == {"cpu"}
    assert m.to(GPU).to("cpu", torch.float64)[0].weight.dtype is torch.float64


def test_a_module_without_elements_gets_them_on_the_gpu():
    assert places(nn.Linear(2, 2, device="meta").to_empty(device="cuda")) == {"cuda:0"}
    assert places(nn.Linear(2, 2, device="cuda")) == {"cuda:0"}
    lazy = nn.LazyLinear(2, device="cuda")
    lazy(torch.ones(1, 3, device="cuda"))
    assert places(lazy) == {"cuda:0"}


def test_inputs_on_another_device_than_the_module_are_refused():
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        net().cuda()(torch.ones(5, 3))
    with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
        torch.ones(3).add_(torch.ones(3, device="cuda"))


def test_bfloat16_has_no_place_on_the_gpu():
    with pytest.raises(NotImplementedError, match="bfloat16"):
        torch.ones(2, dtype=torch.bfloat16).cuda()
    with pytest.raises(NotImplementedError, match="bfloat16"):
        torch.ones(2, device="cuda").bfloat16()


OPTIMIZERS = {"SGD": {"lr": 0.1, "momentum": 0.9}, "Adam": {}, "AdamW": {}, "RMSprop": {}, "Adagrad": {},
              "Adafactor": {}, "NAdam": {}, "Rprop": {}}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_are_those_on_the_cpu_and_states_move_with_state_dicts(name):
    kind, options = getattr(torch.optim, name), OPTIMIZERS[name]
    x = torch.linspace(-1.0, 1.0, 15).reshape(5, 3)

    def step(m, optimizer, x):
        optimizer.zero_grad()
        m(x).square().sum().backward()
        optimizer.step()

    torch.manual_seed(1)
    here = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
    there = copy.deepcopy(here).cuda()
    ours, theirs = kind(here.parameters(), **options), kind(there.parameters(), **options)
    for _ in range(3):
        step(here, ours, x)
        step(there, theirs, x.cuda())
    back = copy.deepcopy(there).cpu()
    again = kind(back.parameters(), **options)
    again.load_state_dict(theirs.state_dict())
    assert all(not v.is_cuda for s in again.state.values() for v in s.values() if isinstance(v, torch.Tensor))
    step(here, ours, x)
    step(back, again, x)
    for p, q in zip(here.parameters(), back.parameters()):
        np.testing.assert_allclose(q.detach().numpy(), p.detach().numpy(), rtol=1e-4, atol=1e-6)


def test_lbfgs_on_the_gpu_reaches_the_minimum():
    p = nn.Parameter(torch.tensor([3.0, -2.0], dtype=torch.float64, device="cuda"))
    optimizer = torch.optim.LBFGS([p], line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = ((p - 1) ** 2 * torch.tensor([1.0, 10.0], dtype=torch.float64, device="cuda")).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    np.testing.assert_allclose(p.detach().cpu().numpy(), [1.0, 1.0], atol=1e-4)


def test_state_dicts_are_loaded_from_one_device_to_the_other():
    m, other = net().cuda(), net()
    m(torch.ones(2, 3, device="cuda"))
    other.load_state_dict(m.state_dict())
    assert places(other) == {"cpu"}
    assert all(torch.equal(v.cpu(), other.state_dict()[k]) for k, v in m.state_dict().items())


def saved():
    file = io.BytesIO()
    t = torch.arange(4.0, device="cuda")
    torch.save({"whole": t, "part": t[1:], "parameter": nn.Parameter(t), "host": torch.ones(2)}, file)
    return file


def loaded(file, **options):
    file.seek(0)
    return {k: str(v.device) for k, v in torch.load(file, **options).items()}


@pytest.mark.parametrize("where, expected", [
    (None, ("cuda:0", "cpu")), ("cpu", ("cpu", "cpu")), (torch.device("cpu"), ("cpu", "cpu")),
    ("cuda", ("cuda:0", "cuda:0")), (GPU, ("cuda:0", "cuda:0")), ({"cuda:0": "cpu"}, ("cpu", "cpu")),
    ({"cpu": "cuda:0"}, ("cuda:0", "cuda:0")), (lambda storage, location: storage, ("cpu", "cpu")),
    (lambda storage, location: None, ("cuda:0", "cpu")), (lambda storage, location: storage.cuda(), ("cuda:0",) * 2)])
def test_a_file_is_loaded_where_map_location_says(where, expected):
    found = loaded(saved(), map_location=where)
    assert (found["whole"], found["host"]) == expected and found["parameter"] == found["part"] == found["whole"]


def test_loaded_tensors_share_memory_as_the_saved_ones_did():
    file = saved()
    file.seek(0)
    found = torch.load(file)
    found["whole"][1] = 7
    assert found["part"].tolist() == [7.0, 2.0, 3.0]


def test_a_device_that_is_not_here_is_refused_in_pytorchs_words():
    with pytest.raises(RuntimeError, match=r"on CUDA device 1 but torch.cuda.device_count\(\) is 1"):
        loaded(saved(), map_location="cuda:1")
    with pytest.raises(RuntimeError, match="on a XPU device but torch.xpu.is_available"):
        loaded(saved(), map_location="xpu")


def test_copies_pickles_and_safetensors_keep_the_device(tmp_path):
    t = nn.Parameter(torch.arange(3.0, device="cuda"))
    for other in (copy.deepcopy(t), copy.copy(t), pickle.loads(pickle.dumps(t))):
        assert other.is_cuda and other.requires_grad and torch.equal(other, t)
    path = tmp_path / "weights.safetensors"
    safetensors.save_file({"w": t.detach()}, path)
    assert str(safetensors.load_file(path, device="cuda")["w"].device) == "cuda:0"
    assert safetensors.load_file(path)["w"].tolist() == [0.0, 1.0, 2.0]
    assert str(t.untyped_storage().device) == "cuda:0" and t.untyped_storage().cpu().nbytes() == 12


def test_batches_come_from_ordinary_memory_and_are_moved():
    loader = DataLoader(TensorDataset(torch.arange(4.0)), batch_size=2, pin_memory=True)
    assert [x.to("cuda", non_blocking=True).tolist() for (x,) in loader] == [[0.0, 1.0], [2.0, 3.0]]
    assert torch.ones(2).pin_memory().cuda(non_blocking=True).is_cuda


def test_sequences_of_several_lengths_run_on_the_gpu():
    rows = [torch.ones(n, 2, device="cuda") for n in (1, 3, 2)]
    packed = nn.utils.rnn.pack_sequence(rows, enforce_sorted=False)
    assert packed.batch_sizes.device.type == "cpu" and packed.sorted_indices.is_cuda
    out, lengths = nn.utils.rnn.pad_packed_sequence(nn.LSTM(2, 3).cuda()(packed)[0], batch_first=True)
    assert out.is_cuda and lengths.tolist() == [1, 3, 2]
    assert packed.cpu().sorted_indices.device.type == "cpu" and packed.cpu().cuda().data.is_cuda


@pytest.mark.parametrize("make", [
    lambda d, p: d.Normal(p, 0.5), lambda d, p: d.Bernoulli(p), lambda d, p: d.Categorical(p),
    lambda d, p: d.Gamma(p, 2.0), lambda d, p: d.Beta(p, 2.0), lambda d, p: d.Dirichlet(p),
    lambda d, p: d.Uniform(0.0, p), lambda d, p: d.Laplace(p, 1.0),
    lambda d, p: d.MultivariateNormal(p, torch.eye(3, device=p.device)), lambda d, p: d.Poisson(p),
    lambda d, p: d.OneHotCategorical(p), lambda d, p: d.RelaxedBernoulli(torch.tensor(1.0, device=p.device), p),
    lambda d, p: d.Geometric(p), lambda d, p: d.StudentT(p), lambda d, p: d.VonMises(p, 2.0)])
def test_a_distribution_draws_where_its_parameters_lie(make):
    here, there = (make(torch.distributions, torch.tensor([0.2, 0.3, 0.5], device=place)) for place in ("cpu", "cuda"))
    x = there.sample((2,))
    assert x.is_cuda
    np.testing.assert_allclose(there.log_prob(x).cpu().numpy(), here.log_prob(x.cpu()).numpy(), rtol=1e-4, atol=1e-5)


def test_what_programs_ask_of_the_device():
    cuda = torch.cuda
    assert (cuda.device_count(), cuda.current_device(), torch.accelerator.device_count()) == (1, 0, 1)
    assert torch.accelerator.current_accelerator() == torch.device("cuda") and torch.backends.cuda.is_built()
    found = cuda.get_device_properties("cuda")
    assert cuda.get_device_name(0) == found.name and cuda.get_device_capability() == (found.major, found.minor)
    assert found.multi_processor_count > 0 and found.total_memory > 2**30
    free, whole = cuda.mem_get_info()
    assert 0 < free <= whole and cuda.memory_allocated() <= cuda.memory_reserved()
    cuda.set_device(0)
    cuda.synchronize()
    cuda.empty_cache()
    with cuda.device("cuda:0"), cuda.device_of(torch.ones(1, device="cuda")):
        assert cuda.is_initialized() and not cuda.is_bf16_supported()
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        cuda.set_device(3)
    with pytest.raises(NotImplementedError, match="does not keep its peak"):
        cuda.max_memory_allocated()
    assert isinstance(torch.ones(1, device="cuda"), cuda.FloatTensor)
    assert not isinstance(torch.ones(1), cuda.FloatTensor)
    with pytest.raises(NotImplementedError, match="autocast"), torch.autocast("cuda"):
        pass


def test_streams_and_events():
    cuda = torch.cuda
    stream, first, last = cuda.Stream(), cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
    assert first.query() and cuda.current_stream() == cuda.default_stream() != stream
    first.record()
    stream.wait_stream(cuda.current_stream())
    with cuda.stream(stream):
        assert cuda.current_stream() == stream
        x = torch.ones(3, device="cuda") * 2
    assert cuda.current_stream() == cuda.default_stream()
    last.record(stream)
    cuda.current_stream().wait_stream(stream)
    last.synchronize()
    assert last.query() and stream.query() and first.elapsed_time(last) >= 0 and x.tolist() == [2.0] * 3
    with pytest.raises(ValueError, match="enable_timing"):
        first.elapsed_time(cuda.Event())


def test_random_numbers_of_the_device_are_those_of_the_seeded_host():
    torch.cuda.manual_seed_all(3)
    state, drawn = torch.cuda.get_rng_state(), torch.rand(2, device="cuda")
    torch.cuda.manual_seed(3)
    assert torch.equal(torch.rand(2).cuda(), drawn)
    torch.cuda.set_rng_state(state)
    assert torch.equal(torch.rand(2, device="cuda"), drawn)
    generator = torch.Generator(device="cuda").manual_seed(3)
    assert torch.equal(torch.rand(2, device="cuda", generator=generator), drawn) and generator.device == GPU

"""The PyTorch side of bench_engine: one Adam step of a PINN, with nested autograd as users write it.

Reads lines "case dimension width depth points dtype threads network", "step K" and "processor time" from standard
input; answers "ready", the milliseconds of each of the K steps, and that from now on those of the processors are meant.
"""

import sys
import time

import torch


def derivative(u, x):
    return torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]


def laplacian(u, x, dimension):
    g = derivative(u, x)
    total = 0
    for i in range(dimension):
        total = total + derivative(g[:, i], x)[:, i]
    return total


def residual(case, net, x, dimension):
    u = net(x)[:, 0]
    if case == "burgers":
        g = derivative(u, x)
        u_t, u_x = g[:, 0], g[:, 1]
        u_xx = derivative(u_x, x)[:, 1]
        return u_t + u * u_x - (0.01 / torch.pi) * u_xx
    if case == "poisson":
        return laplacian(u, x, dimension) + 1
    if case == "biharmonic":
        return laplacian(laplacian(u, x, dimension), x, dimension) - 1
    if case == "kuramoto":
        g = derivative(u, x)
        u_t, u_x = g[:, 0], g[:, 1]
        u_xx = derivative(u_x, x)[:, 1]
        u_xxx = derivative(u_xx, x)[:, 1]
        u_xxxx = derivative(u_xxx, x)[:, 1]
        return u_t + 5 * u * u_x + 0.5 * u_xx + 0.005 * u_xxxx
    raise ValueError(case)


class Kan(torch.nn.Module):
    """A layer with cubic splines over 5 intervals and SiLU, in the form of efficient-KAN: all splines of all
    inputs by the recurrence at once, then one linear map."""

    def __init__(self, n_in, n_out):
        super().__init__()
        self.register_buffer("knots", -1 + 0.4 * torch.arange(-3, 9))
        self.base = torch.nn.Linear(n_in, n_out, bias=False)
        self.splines = torch.nn.Linear(n_in * 8, n_out, bias=False)

    def forward(self, x):
        t, z = self.knots, x.unsqueeze(-1)
        b = ((z >= t[:-1]) & (z < t[1:])).to(x.dtype)
        for k in range(1, 4):
            left = (z - t[: -k - 1]) / (t[k:-1] - t[: -k - 1])
            right = (t[k + 1 :] - z) / (t[k + 1 :] - t[1:-k])
            b = left * b[..., :-1] + right * b[..., 1:]
        return self.base(torch.nn.functional.silu(x)) + self.splines(b.flatten(1))


class ChebyshevKan(torch.nn.Module):
    """Chebyshev polynomials up to degree 8 of tanh(x) by their recurrence, then one linear map."""

    def __init__(self, n_in, n_out):
        super().__init__()
        self.linear = torch.nn.Linear(n_in * 9, n_out, bias=False)

    def forward(self, x):
        z = torch.tanh(x)
        p = [torch.ones_like(z), z]
        for _ in range(2, 9):
            p.append(2 * z * p[-1] - p[-2])
        return self.linear(torch.stack(p, -1).flatten(1))


class ModifiedMlp(torch.nn.Module):
    def __init__(self, n_in, width, depth):
        super().__init__()
        self.u, self.v = torch.nn.Linear(n_in, width), torch.nn.Linear(n_in, width)
        self.hidden = torch.nn.ModuleList(
            [torch.nn.Linear(n_in if i == 0 else width, width) for i in range(depth)])
        self.last = torch.nn.Linear(width, 1)

    def forward(self, x):
        u, v, h = torch.tanh(self.u(x)), torch.tanh(self.v(x)), x
        for layer in self.hidden:
            z = torch.tanh(layer(h))
            h = (1 - z) * u + z * v
        return self.last(h)


class Fourier(torch.nn.Module):
    def __init__(self, n_in, features):
        super().__init__()
        self.register_buffer("b", torch.randn(n_in, features // 2))

    def forward(self, x):
        z = x @ self.b
        return torch.cat([torch.cos(z), torch.sin(z)], -1)


def tanh_layers(features, width, depth):
    layers = []
    for _ in range(depth):
        layers += [torch.nn.Linear(features, width), torch.nn.Tanh()]
        features = width
    return [*layers, torch.nn.Linear(features, 1)]


def make_network(network, dimension, width, depth):
    if network in ("kan", "chebyshev_kan"):
        sizes = [dimension] + [width] * depth + [1]
        layer = Kan if network == "kan" else ChebyshevKan
        return torch.nn.Sequential(*[layer(a, b) for a, b in zip(sizes, sizes[1:])])
    if network == "modified_mlp":
        return ModifiedMlp(dimension, width, depth)
    if network == "fourier_mlp":
        return torch.nn.Sequential(Fourier(dimension, width), *tanh_layers(width, width, depth))
    return torch.nn.Sequential(*tanh_layers(dimension, width, depth))


def make(case, dimension, width, depth, points, dtype, threads, network):
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    kind = torch.float32 if dtype == "f32" else torch.float64
    net = make_network(network, dimension, width, depth).to(kind)
    x = (2 * torch.rand(points, dimension, dtype=kind) - 1).requires_grad_(True)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

    def step():
        optimizer.zero_grad()
        loss = (residual(case, net, x, dimension) ** 2).mean()
        loss.backward()
        optimizer.step()
        return float(loss)

    return step


def main():
    step, clock = None, time.perf_counter
    for line in sys.stdin:
        words = line.split()
        if words[0] == "step":
            times = []
            for _ in range(int(words[1])):
                begin = clock()
                step()
                times.append(1e3 * (clock() - begin))
            print(*times, flush=True)
        elif words[0] == "processor":
            clock = time.process_time
            print("processor time", flush=True)
        else:
            case, dtype = words[0], words[5]
            step = make(case, int(words[1]), int(words[2]), int(words[3]), int(words[4]), dtype,
                        int(words[6]), words[7])
            step()
            print("ready", flush=True)


main()

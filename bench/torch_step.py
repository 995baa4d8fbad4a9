"""The PyTorch side of bench_engine: one Adam step of a PINN, with nested autograd as users write it.

Reads lines "case dimension width depth points dtype threads" and "step K" from standard input;
answers "ready" and the milliseconds of each of the K steps.
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


def make(case, dimension, width, depth, points, dtype, threads):
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    kind = torch.float32 if dtype == "f32" else torch.float64
    layers, features = [], dimension
    for _ in range(depth):
        layers += [torch.nn.Linear(features, width), torch.nn.Tanh()]
        features = width
    net = torch.nn.Sequential(*layers, torch.nn.Linear(features, 1)).to(kind)
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
    step = None
    for line in sys.stdin:
        words = line.split()
        if words[0] == "step":
            times = []
            for _ in range(int(words[1])):
                begin = time.perf_counter()
                step()
                times.append(1e3 * (time.perf_counter() - begin))
            print(*times, flush=True)
        else:
            case, dtype = words[0], words[5]
            step = make(case, int(words[1]), int(words[2]), int(words[3]), int(words[4]), dtype,
                        int(words[6]))
            step()
            print("ready", flush=True)


main()

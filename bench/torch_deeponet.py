"""The PyTorch side of bench_deeponet: one Adam step of a physics-informed DeepONet.

Reads lines "form functions points sensors width depth products dtype threads" and "step K" from standard
input; answers "ready" and the milliseconds of each of the K steps; "memory" is answered by the megabytes that
the process has needed at most beyond those with which it began.

Forms: "nested" evaluates the trunk at every pair of a function and a point and takes derivatives by nested
autograd, as users write it; "zcs" evaluates the trunk once per point and shifts all points by a dummy number
per coordinate (zero coordinate shift, Leng et al. 2024).
"""

import resource
import sys
import time

import torch


def layers(n_in, width, depth, n_out, dtype):
    parts = []
    for i in range(depth):
        parts += [torch.nn.Linear(n_in if i == 0 else width, width), torch.nn.Tanh()]
    return torch.nn.Sequential(*parts, torch.nn.Linear(width, n_out)).to(dtype)


def grad(u, x):
    return torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]


def make(form, functions, points, sensors, width, depth, products, dtype, threads):
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    dtype = torch.float64 if dtype == "f64" else torch.float32
    branch = layers(sensors, width, depth, products, dtype)
    trunk = layers(2, width, depth, products, dtype)
    a = torch.rand(functions, sensors, dtype=dtype)
    y = torch.rand(points, 2, dtype=dtype)
    source = torch.rand(functions, points, dtype=dtype)
    optimizer = torch.optim.Adam([*branch.parameters(), *trunk.parameters()])

    def nested():
        x = y.repeat(functions, 1).requires_grad_(True)
        b = branch(a).repeat_interleave(points, 0)
        s = (b * trunk(x)).sum(1)
        g = grad(s, x)
        s_xx = grad(g[:, 1], x)[:, 1]
        return g[:, 0] - 0.01 * s_xx - 0.01 * s * s - source.flatten()

    def zcs():
        z = torch.zeros(2, dtype=dtype, requires_grad=True)
        b, t = branch(a), trunk(y + z)
        s = b @ t.T
        w = torch.ones_like(s, requires_grad=True)
        g = torch.autograd.grad((w * s).sum(), z, create_graph=True)[0]
        s_t = torch.autograd.grad(g[0], w, create_graph=True)[0]
        g_xx = torch.autograd.grad(g[1], z, create_graph=True)[0][1]
        s_xx = torch.autograd.grad(g_xx, w, create_graph=True)[0]
        return s_t - 0.01 * s_xx - 0.01 * s * s - source

    residual = nested if form == "nested" else zcs

    def step():
        optimizer.zero_grad()
        (residual() ** 2).mean().backward()
        optimizer.step()

    return step


def main():
    begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    step = None
    for line in sys.stdin:
        words = line.split()
        if words[0] == "step":
            times = []
            for _ in range(int(words[1])):
                start = time.perf_counter()
                step()
                times.append(1e3 * (time.perf_counter() - start))
            print(*times, flush=True)
        elif words[0] == "memory":
            print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - begin) / 1024, flush=True)
        else:
            step = make(words[0], *map(int, words[1:7]), words[7], int(words[8]))
            step()
            print("ready", flush=True)


main()

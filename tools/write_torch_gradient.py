"""Writes tests/data/burgers_torch_gradient.txt: loss and gradient of a Burgers network in PyTorch.

Usage: /usr/bin/python3 tools/write_torch_gradient.py > tests/data/burgers_torch_gradient.txt
Parameters are in Cauchy's order: for each layer the weights (rows = outputs), then the biases.
"""

import math

import torch

WIDTH, DEPTH, POINTS = 6, 2, 25


def main():
    torch.manual_seed(1)
    torch.set_default_dtype(torch.float64)
    layers, features = [], 2
    for _ in range(DEPTH):
        layers += [torch.nn.Linear(features, WIDTH), torch.nn.Tanh()]
        features = WIDTH
    net = torch.nn.Sequential(*layers, torch.nn.Linear(features, 1))
    x = torch.rand(POINTS, 2)
    x[:, 1] = 2 * x[:, 1] - 1
    x.requires_grad_(True)
    u = net(x)[:, 0]

    def derivative(f):
        return torch.autograd.grad(f, x, torch.ones_like(f), create_graph=True)[0]

    g = derivative(u)
    u_xx = derivative(g[:, 1])[:, 1]
    loss = ((g[:, 0] + u * g[:, 1] - 0.01 / math.pi * u_xx) ** 2).mean()
    gradients = torch.autograd.grad(loss, list(net.parameters()), allow_unused=True)
    flat, slopes = [], []
    for p, s in zip(net.parameters(), gradients):
        flat += p.detach().flatten().tolist()
        slopes += (torch.zeros_like(p) if s is None else s).flatten().tolist()
    print("# width depth points parameters loss; points (t x); parameters; gradient")
    print(WIDTH, DEPTH, POINTS, len(flat), repr(float(loss)))
    for t, y in x.detach().tolist():
        print(repr(t), repr(y))
    for values in (flat, slopes):
        for i in range(0, len(values), 4):
            print(*(repr(v) for v in values[i : i + 4]))


main()

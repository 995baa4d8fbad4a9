"""The PyTorch side of bench_neural_ode: one training iteration of the spiral (2-50-2 on y^3), with the
algorithm of torchdiffeq's odeint (Dormand-Prince 5(4), quartic between the steps) written plainly, and
gradients by backpropagation through the solver.

Reads lines "trajectories times tolerance threads" and "step K" from standard input; answers "ready" and
the milliseconds of each of the K iterations, then the number of steps of the last one.
"""

import sys
import time

import torch

ALPHA = [1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0]
BETA = [
    [1 / 5],
    [3 / 40, 9 / 40],
    [44 / 45, -56 / 15, 32 / 9],
    [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
    [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
    [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
]
ERROR = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40]
MID = [
    6025192743 / 30085553152 / 2, 0, 51252292925 / 65400821598 / 2, -2691868925 / 45128329728 / 2,
    187940372067 / 1594534317056 / 2, -1776094331 / 19743644256 / 2, 11237099 / 235043384 / 2,
]


def rms(x):
    return x.pow(2).mean().sqrt()


def first_step(func, t0, y0, f0, rtol, atol):
    scale = atol + y0.abs() * rtol
    d0, d1 = rms(y0 / scale), rms(f0 / scale)
    h0 = torch.tensor(1e-6, dtype=y0.dtype) if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    f1 = func(t0 + h0, y0 + h0 * f0)
    d2 = rms((f1 - f0) / scale) / h0
    if d1 <= 1e-15 and d2 <= 1e-15:
        h1 = torch.max(torch.tensor(1e-6, dtype=y0.dtype), h0 * 1e-3)
    else:
        h1 = (0.01 / torch.max(d1, d2)) ** (1 / 5)
    return torch.min(100 * h0, h1)


def odeint(func, y0, times, rtol, atol):
    """States at the times, and the number of steps."""
    t, y = times[0], y0
    f = func(t, y)
    with torch.no_grad():
        h = first_step(func, t, y, f, rtol, atol)
    out, steps = [y0], 0
    left, poly = t, None
    for want in times[1:]:
        while t < want:
            k = [f]
            for a, row in zip(ALPHA, BETA):
                yi = y + h * sum(b * ki for b, ki in zip(row, k) if b != 0)
                k.append(func(t + a * h, yi))
            y1, f1 = yi, k[-1]
            error = h * sum(e * ki for e, ki in zip(ERROR, k) if e != 0)
            with torch.no_grad():
                ratio = rms(error / (atol + rtol * torch.max(y.abs(), y1.abs())))
                factor = torch.clamp(0.9 * ratio ** (-1 / 5), 0.2, 10.0) if ratio > 0 else 10.0
            steps += 1
            if ratio <= 1:
                mid = y + h * sum(c * ki for c, ki in zip(MID, k) if c != 0)
                a4 = 2 * h * (f1 - f) - 8 * (y1 + y) + 16 * mid
                a3 = h * (5 * f - 3 * f1) + 18 * y + 14 * y1 - 32 * mid
                a2 = h * (f1 - 4 * f) - 11 * y - 5 * y1 + 16 * mid
                poly, left, length = (a4, a3, a2, h * f, y), t, h
                t, y, f = t + h, y1, f1
            h = h * factor
        x = (want - left) / length
        value = poly[0]
        for c in poly[1:]:
            value = value * x + c
        out.append(value)
    return torch.stack(out), steps


class Field(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(2, 50), torch.nn.Tanh(), torch.nn.Linear(50, 2))
        for m in self.net:
            if isinstance(m, torch.nn.Linear):
                torch.nn.init.normal_(m.weight, mean=0, std=0.1)
                torch.nn.init.constant_(m.bias, val=0)

    def forward(self, t, y):
        return self.net(y**3)


def main():
    torch.set_default_dtype(torch.float64)
    for line in sys.stdin:
        words = line.split()
        if words[0] == "step":
            milliseconds = []
            for _ in range(int(words[1])):
                begin = time.perf_counter()
                start = torch.randint(0, 1000 - n_times, (n,))
                truth = torch.stack([curve[start + i] for i in range(n_times)])
                optimizer.zero_grad()
                answer, steps = odeint(field, truth[0], times, tolerance, tolerance * 1e-2)
                loss = (answer - truth).pow(2).mean()
                loss.backward()
                optimizer.step()
                milliseconds.append(1e3 * (time.perf_counter() - begin))
            print(" ".join(f"{m:.4f}" for m in milliseconds), steps, flush=True)
            continue
        n, n_times, tolerance, threads = int(words[0]), int(words[1]), float(words[2]), int(words[3])
        torch.set_num_threads(threads)
        torch.manual_seed(0)
        field = Field()
        optimizer = torch.optim.Adam(field.parameters(), lr=1e-3)
        times = torch.linspace(0.0, 25.0, 1000)[:n_times]
        a = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
        with torch.no_grad():
            curve, _ = odeint(lambda t, y: y**3 @ a, torch.tensor([2.0, 0.0]),
                              torch.linspace(0.0, 25.0, 1000), 1e-7, 1e-9)
        print("ready", flush=True)


if __name__ == "__main__":
    main()

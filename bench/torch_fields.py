"""The PyTorch side of bench_tensor: one Adam step of a network on grids, as its users write it.

Reads lines "case dtype threads", "step K" and "processor time" from standard input; answers "ready",
the milliseconds of each of the K steps, and that from now on those of the processors are meant.
"""

import sys
import time

import torch
import torch.nn.functional as functional
from torch import nn


class SpectralConvolution(nn.Module):
    """The layer of the published code of FNO (Li et al. 2020): real transform, kept modes, inverse."""

    def __init__(self, width, modes, axes):
        super().__init__()
        self.modes, self.axes = modes, axes
        scale = 1 / (width * width)
        corners = 2 ** (axes - 1)
        self.weights = nn.ParameterList([
            nn.Parameter(scale * torch.rand(width, width, *[modes] * axes, dtype=torch.cfloat))
            for _ in range(corners)])

    def forward(self, x):
        m = self.modes
        if self.axes == 1:
            c = torch.fft.rfft(x)
            out = torch.zeros(*c.shape, dtype=c.dtype)
            out[:, :, :m] = torch.einsum("bix,iox->box", c[:, :, :m], self.weights[0])
            return torch.fft.irfft(out, n=x.size(-1))
        c = torch.fft.rfft2(x)
        out = torch.zeros(*c.shape, dtype=c.dtype)
        out[:, :, :m, :m] = torch.einsum("bixy,ioxy->boxy", c[:, :, :m, :m], self.weights[0])
        out[:, :, -m:, :m] = torch.einsum("bixy,ioxy->boxy", c[:, :, -m:, :m], self.weights[1])
        return torch.fft.irfft2(out, s=x.shape[-2:])


class Fno(nn.Module):
    def __init__(self, axes, inputs, width, modes, depth, projection):
        super().__init__()
        convolution = nn.Conv1d if axes == 1 else nn.Conv2d
        self.lift = convolution(inputs, width, 1)
        self.spectral = nn.ModuleList([SpectralConvolution(width, modes, axes) for _ in range(depth)])
        self.local = nn.ModuleList([convolution(width, width, 1) for _ in range(depth)])
        self.hidden = convolution(width, projection, 1)
        self.last = convolution(projection, 1, 1)

    def forward(self, x):
        x = self.lift(x)
        for i, (spectral, local) in enumerate(zip(self.spectral, self.local)):
            x = spectral(x) + local(x)
            if i + 1 < len(self.local):
                x = functional.gelu(x)
        return self.last(functional.gelu(self.hidden(x)))


class Pair(nn.Sequential):
    """Two 3x3 convolutions, each with group normalisation and GELU."""

    def __init__(self, inputs, width):
        layers = []
        for n in (inputs, width):
            layers += [nn.Conv2d(n, width, 3, padding=1), nn.GroupNorm(4, width), nn.GELU()]
        super().__init__(*layers)


class UNet(nn.Module):
    def __init__(self, inputs, width, levels):
        super().__init__()
        widths = [width << i for i in range(levels)]
        self.down = nn.ModuleList([Pair(a, b) for a, b in zip([inputs] + widths, widths)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(2 * w, w, 2, stride=2) for w in widths[:-1]])
        self.merge = nn.ModuleList([Pair(2 * w, w) for w in widths[:-1]])
        self.last = nn.Conv2d(width, 1, 1)

    def forward(self, x):
        kept = []
        for i, pair in enumerate(self.down):
            x = pair(functional.max_pool2d(x, 2) if i else x)
            kept.append(x)
        for i in reversed(range(len(self.up))):
            x = self.merge[i](torch.cat([kept[i], self.up[i](x)], 1))
        return self.last(x)


class Block(nn.Module):
    """A pre-norm block of a transformer over points, width first as the arrays of a grid lie."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        a = torch.softmax(q @ k.transpose(-1, -2) * (c // self.heads) ** -0.5, -1) @ v
        x = x + self.out(a.transpose(1, 2).reshape(b, n, c))
        return x + self.mlp(self.norm2(x))


class Attention(nn.Module):
    def __init__(self, inputs, width, heads, depth):
        super().__init__()
        self.lift = nn.Linear(inputs, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(depth)])
        self.last = nn.Linear(width, 1)

    def forward(self, x):
        return self.last(self.blocks(self.lift(x.transpose(1, 2)))).transpose(1, 2)


def relative(u, v):
    """Mean over the samples of |u - v| / |v|."""
    u, v = u.flatten(1), v.flatten(1)
    return ((u - v).norm(dim=1) / v.norm(dim=1)).mean()


CASES = {
    "fno_2d": (lambda: Fno(2, 3, 32, 12, 4, 128), (20, 3, 64, 64)),
    "fno_1d": (lambda: Fno(1, 2, 64, 16, 4, 128), (32, 2, 1024)),
    "unet": (lambda: UNet(1, 32, 3), (8, 1, 64, 64)),
    "attention": (lambda: Attention(3, 64, 4, 2), (16, 3, 256)),
}


def make(case, dtype, threads):
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    net, shape = CASES[case][0](), CASES[case][1]
    kind = torch.float32 if dtype == "f32" else torch.float64
    if dtype == "f64":
        net = net.to(kind)
        for p in net.parameters():  # .to() drops the imaginary parts
            if p.dtype == torch.cfloat:
                p.data = p.data.to(torch.cdouble)
        for layer in net.modules():
            if isinstance(layer, SpectralConvolution):
                layer.weights = nn.ParameterList([nn.Parameter(torch.complex(
                    p.detach().real.double(), torch.zeros_like(p.detach().real.double())))
                    for p in layer.weights])
    x = torch.rand(*shape, dtype=kind)
    y = torch.rand(shape[0], 1, *shape[2:], dtype=kind)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

    def step():
        optimizer.zero_grad()
        loss = relative(net(x), y)
        loss.backward()
        optimizer.step()
        return float(loss.detach())

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
            step = make(words[0], words[1], int(words[2]))
            step()
            print("ready", flush=True)


main()

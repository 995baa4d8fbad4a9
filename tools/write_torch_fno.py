"""Writes tests/data/fno_torch.txt: answers, loss and gradient of a small FNO in PyTorch.

Usage: /usr/bin/python3 tools/write_torch_fno.py > tests/data/fno_torch.txt
The layers are those of the published code (neuraloperator, fourier_2d.py): torch.fft.rfft2, one array of weights for
each band of the first axis, a 1 x 1 convolution beside it, zeros behind the end of the axis that is not periodic.
Parameters are in Cauchy's order and given by a formula, as are inputs and targets:
  theta[i] = 0.4 sin(1.7 i + 0.3),  a[i] = cos(0.9 i + 0.01 i^2),  target[i] = sin(0.7 i)
with i counted over all numbers, samples first, then channels, x, y.
"""

import math

import torch
import torch.nn.functional as F

SAMPLES, NX, NY = 3, 10, 8  # x: both ends are nodes; y: periodic
WIDTH, DEPTH, MX, MY, PROJECTION, INPUTS, OUTPUTS = 3, 2, 2, 3, 5, 1, 2
PADDING = 3  # points behind the end of x: round(0.4 (NX - 1) - 1)


class Parameters:
    """Hands out one tensor after the other from the formula."""

    def __init__(self):
        self.next, self.tensors = 0, []

    def take(self, *shape):
        n = math.prod(shape)
        i = torch.arange(self.next, self.next + n)
        self.next += n
        tensor = (0.4 * torch.sin(1.7 * i + 0.3)).reshape(shape).requires_grad_(True)
        self.tensors.append(tensor)
        return tensor


def affine(parameters, x, channels):
    weight, bias = parameters.take(channels, x.shape[1]), parameters.take(channels)
    return torch.einsum("oi,bixy->boxy", weight, x) + bias[:, None, None]


def spectral(parameters, v):
    """Weights are [out][in][mode of x][mode of y][real, imaginary]; modes of x are 0 ... m - 1, -m ... -1."""
    weight = torch.view_as_complex(parameters.take(WIDTH, WIDTH, 2 * MX, MY, 2))
    c = torch.fft.rfft2(v)
    out = torch.zeros(v.shape[0], WIDTH, c.shape[2], c.shape[3], dtype=torch.complex128)
    out[:, :, :MX, :MY] = torch.einsum("bixy,oixy->boxy", c[:, :, :MX, :MY], weight[:, :, :MX])
    out[:, :, -MX:, :MY] = torch.einsum("bixy,oixy->boxy", c[:, :, -MX:, :MY], weight[:, :, MX:])
    return torch.fft.irfft2(out, s=v.shape[2:])


def main():
    torch.set_default_dtype(torch.float64)
    i = torch.arange(SAMPLES * INPUTS * NX * NY)
    a = torch.cos(0.9 * i + 0.01 * i * i).reshape(SAMPLES, INPUTS, NX, NY)
    x = torch.linspace(0, 1, NX)[:, None].expand(NX, NY)
    y = (2 * math.pi * torch.arange(NY) / NY)[None, :].expand(NX, NY)
    coordinates = torch.stack([x, torch.cos(y), torch.sin(y)]).expand(SAMPLES, 3, NX, NY)
    parameters = Parameters()
    v = affine(parameters, torch.cat([a, coordinates], 1), WIDTH)
    v = F.pad(v, [0, 0, 0, PADDING])
    for layer in range(DEPTH):
        s = spectral(parameters, v)
        v = s + affine(parameters, v, WIDTH)
        if layer + 1 < DEPTH:
            v = F.gelu(v)
    v = v[:, :, :NX]
    u = affine(parameters, F.gelu(affine(parameters, v, PROJECTION)), OUTPUTS)
    target = torch.sin(0.7 * torch.arange(u.numel())).reshape(u.shape)
    loss = ((u - target) ** 2).mean()
    gradients = torch.autograd.grad(loss, parameters.tensors)

    print("# samples nx ny width depth mx my projection outputs; parameters loss; answers; gradient")
    print(SAMPLES, NX, NY, WIDTH, DEPTH, MX, MY, PROJECTION, OUTPUTS)
    print(parameters.next, repr(float(loss)))
    for values in (u.detach().flatten().tolist(), torch.cat([g.flatten() for g in gradients]).tolist()):
        for k in range(0, len(values), 5):
            print(*(f"{value:.17g}" for value in values[k : k + 5]))


main()

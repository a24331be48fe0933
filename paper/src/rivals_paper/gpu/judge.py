"""The judge of a calibration for many experiments at once on a GPU.

B under both laws, and the error of the truth.

The library judges one experiment at a time on a processor, at a tenth of a second under method "beta".
Here one thread draws whole paths of the process (depth 8, straight pieces: the resolution of the
paper), every node by its own beta distribution; nothing enters by its moments. So this is an
independent computation of the same law, and `python -m rivals_paper.gpu check` compares both. The
functions before the entry points compile for a processor as well, where a test runs them.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from rivals.laws.beta import tree
from rivals.method.quantiles import grid
from rivals_paper.gpu.simulate import cupy

DeviceArray = Any
DEPTH: Final = 8
NODES: Final = 2**DEPTH - 1
LONGEST: Final = 4096  # row that is sorted in shared memory
THREADS: Final = 128

SOURCE: Final = r"""
#ifdef __CUDACC__
#define FUNCTION __device__ inline
#define KERNEL extern "C" __global__ void
#define EACH(i, count) long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; \
    if (i < count)
#else
#include <cmath>
#include <algorithm>
#define FUNCTION inline
#define KERNEL extern "C" void
#define EACH(i, count) for (long long i = 0; i < count; i++)
FUNCTION double normcdf(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752); }
FUNCTION double rsqrt(double x) { return 1 / std::sqrt(x); }
FUNCTION float cospif(float x) { return std::cos(3.14159265358979f * x); }
FUNCTION float sinpif(float x) { return std::sin(3.14159265358979f * x); }
double normcdfinv(double p);
using std::min; using std::max; using std::isnan; using std::isinf;
#endif
#define DEPTH 8
#define NODES 255

// psi, its first and its second derivative: recurrence to x + 8, then the asymptotic series.
FUNCTION void polygamma(double x, double &psi, double &first, double &second) {
    double p = 0, f = 0, s = 0;
    for (int i = 0; i < 8; i++) { double y = 1 / (x + i); p += y; f += y * y; s += y * y * y; }
    double y = 1 / (x + 8), q = y * y;
    double b[6] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730};
    double t0 = 0, t1 = 0, t2 = 0;
    for (int k = 5; k >= 0; k--) { t0 = t0 * q + b[k] / (2 * k + 2); t1 = t1 * q + b[k];
    t2 = t2 * q + b[k] * (2 * k + 3); }
    psi = log(x + 8) - 0.5 * y - q * t0 - p;
    first = f + y * (1 + 0.5 * y + q * t1);
    second = -2 * s - q * (1 + y + q * t2);
}
FUNCTION double inverse_digamma(double target, double value) {
    for (int i = 0; i < 60; i++) {
        double psi, first, second;
        polygamma(value, psi, first, second);
        double step = (target - psi) / (value * first);
        value *= 1 + max(step, -0.75);
        if (fabs(step) < 1e-7) break;
    }
    return value;
}
// As `rivals.laws.beta.solver._solve_ordered`, for one node.
FUNCTION void solve_ordered(double contrast, double variance, double &alpha, double &beta) {
    double low = log((1 + sqrt(1 + 2 * variance)) / (2 * variance)),
        high = low + 0.6931471805599453;
    double guess = variance / (1 + exp(-contrast));
    double start = variance < 1 ? 0.5 + 1 / guess : (1 + sqrt(1 + 2 * guess)) / (2 * guess);
    double log_alpha = min(max(log(start), low), high), psi, first_a, second_a, first_b, second_b,
        ignored;
    alpha = exp(log_alpha);
    polygamma(alpha, psi, first_a, second_a);
    double target = psi + contrast;
    beta = inverse_digamma(target,
        target >= -2.22 ? exp(target) + 0.5 : -1 / (target + 0.5772156649015329));
    for (int i = 0; i < 60; i++) {
        polygamma(beta, ignored, first_b, second_b);
        double total = first_a + first_b, error = log(total) - log(variance);
        if (!(fabs(error) >= 1e-12)) break;
        if (error > 0) low = log_alpha;
        if (error < 0) high = log_alpha;
        double ratio = first_a / first_b, slope = alpha * (second_a + second_b * ratio) / total;
        double proposal = log_alpha - error / slope;
        log_alpha = proposal >= low && proposal <= high ? proposal : 0.5 * (low + high);
        double step = exp(log_alpha) - alpha;
        alpha += step;
        polygamma(alpha, psi, first_a, second_a);
        beta = inverse_digamma(psi + contrast, max(beta + ratio * step, 0.5 * beta));
    }
}
// log_ratio: one per process and node; log_discrepancy likewise; out: (process, c, node, 2).
KERNEL solve(long long count, int values, const double *c, const double *log_ratio,
    const double *log_discrepancy, double *out) {
    EACH(i, count) {
        long long process = i / (values * NODES);
        int which = (int)(i / NODES % values), node = (int)(i % NODES);
        double r = log_ratio[process * NODES + node], a, b;
        double v = 0.6931471805599453 + log(c[which]) + 2 * log_discrepancy[process * NODES + node];
        v = min(max(v, -69.07755278982137), 69.07755278982137);
        if (isnan(r)) r = 0;
        if (isinf(r)) { a = r < 0 ? 1e-300 : 1; b = r < 0 ? 1 : 1e-300; }
        else {
            solve_ordered(min(fabs(r), 500.0), exp(v), a, b);
            if (r > 0) { double other = a; a = b; b = other; }
        }
        out[2 * i] = a; out[2 * i + 1] = b;
    }
}

// Philox 4x32-10 (Salmon et al. 2011): a counter and a key make four words.
FUNCTION void philox(unsigned int counter[4], unsigned int key0, unsigned int key1) {
    for (int round = 0; round < 10; round++) {
        unsigned long long a = 0xD2511F53ull * counter[0], b = 0xCD9E8D57ull * counter[2];
        unsigned int c0 = (unsigned int)(b >> 32) ^ counter[1] ^ key0,
            c2 = (unsigned int)(a >> 32) ^ counter[3] ^ key1;
        counter[0] = c0; counter[1] = (unsigned int)b; counter[2] = c2;
        counter[3] = (unsigned int)a;
        key0 += 0x9E3779B9u; key1 += 0xBB67AE85u;
    }
}
// in (0, 1]
FUNCTION float unit(unsigned int word) { return (word + 0.5f) * 2.3283064365386963e-10f; }
struct Shape { double third, inverse, boost; };  // d, 1 / sqrt(9 d), and 1 / alpha where alpha < 1
FUNCTION Shape shape_of(double alpha) {
    Shape s;
    s.boost = alpha < 1 ? 1 / alpha : 0;
    s.third = (alpha < 1 ? alpha + 1 : alpha) - 1.0 / 3;
    s.inverse = rsqrt(9 * s.third);
    return s;
}
// Marsaglia and Tsang (2000). Where d is large the last comparison would be rounding error, and
// nothing is ever rejected.
FUNCTION bool accepted(const Shape &s, float normal, float uniform, double &gamma) {
    double v = 1 + s.inverse * normal;
    if (!(v > 0)) return false;
    v = v * v * v;
    gamma = s.third * v;
    float square = normal * normal;
    if (uniform < 1 - 0.0331f * square * square || s.third > 1e6) return true;
    return log((double)uniform) < 0.5 * square + s.third * (1 - v + log(v));
}
FUNCTION double beta_draw(double alpha, double beta, unsigned int where, unsigned int draw,
    unsigned int node, unsigned int seed) {
    Shape a = shape_of(alpha), b = shape_of(beta);
    double x = 0, y = 0;
    bool has_x = false, has_y = false;
    for (unsigned int attempt = 0; attempt < 1000 && !(has_x && has_y); attempt++) {
        unsigned int words[4] = {draw, node + 256 * attempt, where, 0x5EEDu};
        philox(words, seed, 0xB17Au);
        float radius = sqrtf(-2 * logf(unit(words[0]))), angle = 2 * unit(words[1]);
        if (!has_x) has_x = accepted(a, radius * cospif(angle), unit(words[2]), x);
        if (!has_y) has_y = accepted(b, radius * sinpif(angle), unit(words[3]), y);
    }
    if (a.boost == 0 && b.boost == 0) return x / (x + y);
    unsigned int words[4] = {draw, node, where, 0xB005u};
    philox(words, seed, 0xB17Au);
    double lx = log(x), ly = log(y);
    if (a.boost > 0) lx += a.boost * log(((double)words[0] * 4294967296.0 + words[1]
        + 0.5) * 5.421010862427522e-20);
    if (b.boost > 0) ly += b.boost * log(((double)words[2] * 4294967296.0 + words[3]
        + 0.5) * 5.421010862427522e-20);
    if (lx == ly) return 0.5;
    return 1 / (1 + exp(ly - lx));
}
// A draw of R. Nodes at the bottom first, from left to right, as a binary counter counts: a stack
// holds what waits for its right neighbour.
FUNCTION double risk_draw(const double *parameters, const double *ends, double root_c,
    int simpson, unsigned int where, unsigned int draw, unsigned int seed) {
    double waiting[DEPTH];
    double height = 0;
    for (int j = 0; j < 1 << (DEPTH - 1); j++) {
        int k = DEPTH - 1, place = j;
        int node = (1 << k) - 1 + place;
        double bottom = beta_draw(parameters[2 * node], parameters[2 * node + 1], where, draw,
            node, seed);
        height = simpson ? (4 * bottom + 1) / 6 : 0.5 * (bottom + 0.5);
        while (place & 1) {
            double left = waiting[k];
            place >>= 1; k--;
            node = (1 << k) - 1 + place;
            double x = beta_draw(parameters[2 * node], parameters[2 * node + 1], where, draw, node,
                seed);
            height = 0.5 * (x * (1 + left - height) + height);
        }
        waiting[k] = height;
    }
    double m0 = ends[0], m1 = ends[1], s0 = root_c * ends[2], s1 = root_c * ends[3], s = hypot(s0,
        s1), rise = m1 - m0;
    if (s == 0) return m0 + rise * height;
    unsigned int words[4] = {draw, 255, where, 0xE4D5u};
    philox(words, seed, 0xB17Au);
    double u = ((double)words[0] * 4294967296.0 + words[1] + 0.5) * 5.421010862427522e-20;
    double normal = sqrt(-2 * log((double)unit(words[2]))) * cospif(2 * unit(words[3]));
    double z = -normcdfinv(u * normcdf(rise / s));
    double tilt = (s0 / s) * (s0 / s);
    return m0 - tilt * s * z + s0 * s1 / s * normal + max(rise + s * z, 0.0) * height;
}
// parameters: (process, c, node, 2); ends: (process, 4), q*(0), q*(1), discrepancies at both; out:
// (process, c, draw).
KERNEL draw(long long count, int values, int draws, const double *c, const double *parameters,
    const double *ends, int simpson, unsigned int first, unsigned int seed, double *out) {
    EACH(i, count) {
        long long place = i / draws;  // process and c
        long long process = place / values;
        out[i] = risk_draw(parameters + place * NODES * 2, ends + process * 4,
            sqrt(c[place % values]), simpson, first + (unsigned int)place,
            (unsigned int)(i % draws), seed);
    }
}
"""

BLOCK_SOURCE: Final = r"""
#define LONGEST 4096
// Rows of at most LONGEST numbers, each sorted by one block (bitonic network in shared memory).
__device__ inline void sort_shared(double *values, int size) {
    for (int width = 2; width <= size; width *= 2)
        for (int gap = width / 2; gap > 0; gap /= 2) {
            __syncthreads();
            for (int i = threadIdx.x; i < size / 2; i += blockDim.x) {
                int low = 2 * gap * (i / gap) + i % gap, high = low + gap;
                bool up = (low & width) == 0;
                double a = values[low], b = values[high];
                if ((a > b) == up) { values[low] = b; values[high] = a; }
            }
        }
    __syncthreads();
}
extern "C" __global__ void sort_rows(int length, int size, const double *rows, double *out) {
    __shared__ double values[LONGEST];
    for (int i = threadIdx.x; i < size; i += blockDim.x) values[i] = i < length
        ? rows[blockIdx.x * (long long)length + i] : 1.0 / 0.0;
    sort_shared(values, size);
    for (int i = threadIdx.x; i < length; i += blockDim.x) out[blockIdx.x * (long long)length
        + i] = values[i];
}
// P(a < b), ties counted half: draws is (experiment, 2, c, n), n a power of two; one block for each
// experiment and c.
extern "C" __global__ void below(int values, int n, const double *draws, double *out) {
    __shared__ double b[LONGEST];
    __shared__ unsigned long long total;
    long long e = blockIdx.x / values;
    int which = blockIdx.x % values;
    const double *first = draws + ((e * 2) * values + which) * n,
        *second = draws + ((e * 2 + 1) * values + which) * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) b[i] = second[i];
    if (threadIdx.x == 0) total = 0;
    sort_shared(b, n);
    unsigned long long mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        double a = first[i];
        int low = 0, high = n;  // how many of b are below a
        while (low < high) { int middle = (low + high) / 2; if (b[middle] < a) low = middle + 1;
        else high = middle; }
        int up = low, end = n;  // how many are at most a
        while (up < end) { int middle = (up + end) / 2; if (b[middle] <= a) up = middle + 1;
        else end = middle; }
        mine += (unsigned long long)(2 * n - low - up);
    }
    atomicAdd(&total, mine);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = total / (2.0 * n * n);
}
// Sorted losses z²/2 of standard normal residuals, drawn here; (rows, length).
__device__ inline void philox_words(unsigned int counter[4], unsigned int key0, unsigned int key1) {
    for (int round = 0; round < 10; round++) {
        unsigned long long a = 0xD2511F53ull * counter[0], b = 0xCD9E8D57ull * counter[2];
        unsigned int c0 = (unsigned int)(b >> 32) ^ counter[1] ^ key0,
            c2 = (unsigned int)(a >> 32) ^ counter[3] ^ key1;
        counter[0] = c0; counter[1] = (unsigned int)b; counter[2] = c2;
        counter[3] = (unsigned int)a;
        key0 += 0x9E3779B9u; key1 += 0xBB67AE85u;
    }
}
extern "C" __global__ void sorted_gaussian_losses(int length, int size, unsigned int first,
    unsigned int seed, double *out) {
    __shared__ double values[LONGEST];
    for (int i = 2 * threadIdx.x; i < size; i += 2 * blockDim.x) {
        unsigned int words[4] = {(unsigned int)i, first + blockIdx.x, 0x51Au, 0u};
        philox_words(words, seed, 0x51Au);
        double u = ((double)words[0] * 4294967296.0 + words[1] + 0.5) * 5.421010862427522e-20;
        double angle = 2 * (((double)words[2] * 4294967296.0 + words[3]
            + 0.5) * 5.421010862427522e-20);
        // half the squared radius of Box and Muller
        double radius = -log(u), c = cospi(angle), s = sinpi(angle);
        values[i] = i < length ? radius * c * c : 1.0 / 0.0;
        values[i + 1] = i + 1 < length ? radius * s * s : 1.0 / 0.0;
    }
    sort_shared(values, size);
    for (int i = threadIdx.x; i < length; i += blockDim.x) out[blockIdx.x * (long long)length
        + i] = values[i];
}
"""


def beta_probability(
    observed: DeviceArray,
    synthetic: DeviceArray,
    c: Any,
    *,
    n_draws: int = 2048,
    seed: int = 0,
    simpson: bool = False,
) -> DeviceArray:
    """P(R_a < R_b) under method "beta" with one simulation, at every c.

    Parameters
    ----------
    observed, synthetic
        Sorted losses, (experiments, 2, n), relative to any common reference of both candidates.
    c
        Its values.
    n_draws
        Draws of each R, a power of two.
    seed
        Of the random numbers; they depend on the place of an experiment in the batch as well.
    simpson
        Whether a path is integrated by Simpson's rule, as in the original study, instead of as
        straight pieces.
    """
    cp = cupy()
    centre = quantiles(observed, cp)
    other = quantiles(synthetic, cp)
    discrepancy = cp.abs(other - centre)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_discrepancy = cp.log(discrepancy)[..., cp.asarray(tree.midpoints(DEPTH))]
        log_ratio = log_ratios(centre, cp)
    ends = cp.ascontiguousarray(
        cp.concatenate([centre[..., [0, -1]], discrepancy[..., [0, -1]]], axis=-1)
    )
    experiments = len(observed)
    values = len(c)
    c = cp.asarray(np.asarray(c, dtype=float))
    parameters = cp.empty((experiments, 2, values, NODES, 2))
    count = experiments * 2 * values * NODES
    _launch(
        "solve",
        count,
        (
            np.int64(count),
            np.int32(values),
            c,
            cp.ascontiguousarray(log_ratio),
            cp.ascontiguousarray(log_discrepancy),
            parameters,
        ),
    )
    draws = cp.empty((experiments, 2, values, n_draws))
    sizes = (np.int64(draws.size), np.int32(values), np.int32(n_draws))
    rule = np.int32(simpson)
    arguments = (*sizes, c, parameters, ends, rule, np.uint32(0), np.uint32(seed), draws)
    _launch("draw", draws.size, arguments)
    probability = cp.empty((experiments, values))
    kernel = _blocks().get_function("below")
    kernel(
        (experiments * values,), (256,), (np.int32(values), np.int32(n_draws), draws, probability)
    )
    return probability


def quantiles(rows: DeviceArray, xp: Any) -> DeviceArray:
    """Quantile functions of sorted rows on the grid, as `QuantileFunction`."""
    values = xp.concatenate(
        [2 * rows[..., :1] - rows[..., 1:2], rows, 2 * rows[..., -1:] - rows[..., -2:-1]], axis=-1
    )
    position = grid(DEPTH) * (rows.shape[-1] + 1)
    index = np.minimum(position.astype(int), rows.shape[-1])
    left = values[..., xp.asarray(index)]
    right = values[..., xp.asarray(index + 1)]
    return left + xp.asarray(position - index) * (right - left)


def log_ratios(centre: DeviceArray, xp: Any) -> DeviceArray:
    """ln r of each node, as `rivals.laws.beta.tree.log_ratios`."""
    ratios = xp.empty((*centre.shape[:-1], NODES))
    for k in range(DEPTH):
        increments = xp.log(xp.diff(centre[..., :: 2 ** (DEPTH - k - 1)], axis=-1))
        ratios[..., tree.level(k)] = increments[..., 0::2] - increments[..., 1::2]
    return ratios


def transport_probability(
    means: DeviceArray, distances: DeviceArray, variance: DeviceArray, c: Any
) -> DeviceArray:
    """P(R_a < R_b) under method "transport".

    Mean losses (n, 2), squared distances (n, 2), variance of the mean difference (n,).
    """
    cp = cupy()
    from cupyx.scipy.special import ndtr

    spread = (
        cp.asarray(np.asarray(c, dtype=float)) * distances.sum(axis=1)[:, None] + variance[:, None]
    )
    return ndtr((means[:, 1] - means[:, 0])[:, None] / cp.sqrt(spread))


def sorted_rows(rows: DeviceArray) -> DeviceArray:
    """Rows of at most LONGEST numbers, each sorted."""
    cp = cupy()
    rows = cp.ascontiguousarray(rows)
    length = rows.shape[-1]
    if length > LONGEST:
        raise ValueError(f"rows of at most {LONGEST} numbers can be sorted here: got {length}")
    out = cp.empty_like(rows)
    size = 1 << (length - 1).bit_length()
    _blocks().get_function("sort_rows")(
        (rows.size // length,), (512,), (np.int32(length), np.int32(size), rows, out)
    )
    return out


def sorted_gaussian_losses(count: int, length: int, *, seed: int) -> DeviceArray:
    """z²/2 of standard normal z, (count, length), each row sorted.

    Losses of Gaussian models on their own simulations, less ln(σ √(2π)).
    """
    out = cupy().empty((count, length))
    size = 1 << (length - 1).bit_length()
    kernel = _blocks().get_function("sorted_gaussian_losses")
    kernel((count,), (512,), (np.int32(length), np.int32(size), np.uint32(0), np.uint32(seed), out))
    return out


def mean_errors(rows: DeviceArray) -> DeviceArray:
    """Standard errors of the means of correlated sequences, (n, length) → (n,).

    By the integrated autocorrelation time, up to five of which are summed.
    """
    cp = cupy()
    length = rows.shape[1]
    spread = rows - rows.mean(axis=1, keepdims=True)
    spectrum = cp.fft.rfft(spread, n=2 * length, axis=1)
    covariance = cp.fft.irfft(spectrum.real**2 + spectrum.imag**2, axis=1)[:, :length]
    times = 2 * cp.cumsum(covariance / covariance[:, :1], axis=1) - 1
    beyond = cp.arange(length) >= 5 * times
    first = cp.where(beyond.any(axis=1), cp.argmax(beyond, axis=1), length - 1)
    time = cp.maximum(cp.take_along_axis(times, first[:, None], axis=1)[:, 0], 1)
    return spread.std(axis=1) * cp.sqrt(time / length)


def _launch(name: str, count: int, arguments: tuple[Any, ...]) -> None:
    _module().get_function(name)(((count + THREADS - 1) // THREADS,), (THREADS,), arguments)


@cache  # one value: it has no arguments
def _module() -> Any:
    return cupy().RawModule(code=SOURCE, options=("-std=c++17",))


@cache  # one value: it has no arguments
def _blocks() -> Any:
    return cupy().RawModule(code=BLOCK_SOURCE, options=("-std=c++17",))

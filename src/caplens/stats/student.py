"""Student's t distribution, for p-values and intervals.

Written by hand, since scipy would be half of what an installation weighs; the tests compare it with scipy.
"""

from __future__ import annotations

import math

_CLOSE = 4e-16  # a factor of a continued fraction that changes nothing any more
_MOST_STEPS = 10_000  # a hundred are many: rounding must not make it endless
# Gamma(a + 1/2) / (Gamma(a) sqrt(a)) in powers of 1/a, e.g. F. G. Tricomi, A. Erdelyi, Pacific J. Math. 1, 1951.
_RATIO = (1.0, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144, 869 / 4194304)
_LARGE = 100.0  # from here on the next power of 1/a is below rounding


def student_cdf(freedom: float, t: float) -> float:
    r"""Return the probability that Student's t is at most ``t``.

    .. math:: P(T \le t) = \tfrac12 I_x(\tfrac\nu2, \tfrac12), \quad x = \frac{\nu}{\nu + t^2}, \quad t \le 0

    Parameters
    ----------
    freedom : float
        Degrees of freedom, above 0; they need not be whole.
    t : float
        The limit.

    References
    ----------
    M. Abramowitz, I. A. Stegun (eds.): Handbook of Mathematical Functions, 1964, 26.7.1.

    Examples
    --------
    >>> round(student_cdf(4, -2.776445), 6), student_cdf(4, 0.0), round(student_cdf(1, 1.0), 12)
    (0.025, 0.5, 0.75)
    """
    if math.isnan(t) or math.isnan(freedom):
        return math.nan
    square = t * t
    if math.isinf(square):
        return float(t > 0)
    tail = outside_share(freedom / 2, square / (freedom + square), freedom / (freedom + square)) / 2
    return tail if t <= 0 else 1 - tail


def student_quantile(freedom: float, probability: float) -> float:
    """Return the ``t`` that Student's t stays below with a probability.

    Examples
    --------
    >>> round(student_quantile(4, 0.975), 6), student_quantile(4, 0.5)
    (2.776445, 0.0)
    """
    if probability < 0.5:
        return -student_quantile(freedom, 1 - probability)
    tail = 1 - probability
    low, high = 0.0, 1.0
    while student_cdf(freedom, -high) > tail:
        low, high = high, 2 * high
    while True:  # halves until no number lies between
        middle = (low + high) / 2
        if middle in {low, high}:
            return high if tail < 0.5 else 0.0
        if student_cdf(freedom, -middle) > tail:
            low = middle
        else:
            high = middle


def outside_share(half_freedom: float, inside: float, outside: float) -> float:
    r"""Return the regularised incomplete beta function :math:`I_x(a, 1/2)`, which is what two-sided p-values are.

    Parameters
    ----------
    half_freedom : float
        :math:`a`, above 0.
    inside, outside : float
        :math:`1 - x`, such as the square of a correlation coefficient, and :math:`x`. Both are given, since the smaller
        one decides how many digits are right.

    Examples
    --------
    >>> outside_share(3.0, 0.0, 1.0), outside_share(3.0, 1.0, 0.0), round(outside_share(1.0, 0.25, 0.75), 12)
    (1.0, 0.0, 0.5)
    """
    a, b, x, y = half_freedom, 0.5, outside, inside
    if x <= 0 or y <= 0:
        return float(y <= 0)
    power = a * (math.log1p(-y) if y < x else math.log(x))
    common = math.exp(power) * math.sqrt(y / math.pi) * _gamma_ratio(a)
    if x < (a + 1) / (a + b + 2):
        return common * _continued_fraction(a, b, x, y)
    return 1 - common * _continued_fraction(b, a, y, x)


def _gamma_ratio(a: float) -> float:
    """Return Gamma(a + 1/2) / Gamma(a)."""
    if a < _LARGE:
        return math.gamma(a + 0.5) / math.gamma(a)
    total = 0.0
    for factor in reversed(_RATIO):
        total = total / a + factor
    return math.sqrt(a) * total


def _continued_fraction(a: float, b: float, x: float, y: float) -> float:
    """Return what the incomplete beta function is after division by x**a y**b / B(a, b), where x + y = 1.

    This is the fraction of A. R. DiDonato and A. H. Morris, Significant digit computation of the incomplete beta
    function ratios, ACM Transactions on Mathematical Software 18, 1992, eq. 9, which keeps its digits where ``a`` is
    large; evaluated by Lentz's method.
    """
    beyond = a * y - b * x
    result = above = a * (beyond + 1) / (a + 1)
    below = 0.0
    for step in range(1, _MOST_STEPS):
        middle = a + 2 * step
        numerator = (a + step - 1) * (a + b + step - 1) * step * (b - step) * x * x / (middle - 1) ** 2
        denominator = step + step * (b - step) * x / (middle - 1)
        denominator += (a + step) * (beyond + 1 + step * (1 + y)) / (middle + 1)
        below = 1 / (denominator + numerator * below)
        above = denominator + numerator / above
        result *= above * below
        if abs(above * below - 1) < _CLOSE:
            break
    return 1 / result

"""The velocities with which a clamped cubic spline passes its points.

Through points h apart in time, with the mean velocities d between them, leads a cubic from one to
the next. The velocities at the first and the last point are given, those at the others make the
acceleration continuous, with h and d before a point and H and D after it:

    H u[i-1] + 2 (h + H) u[i] + h u[i+1] = 3 (H d + h D)

which is a tridiagonal system whose diagonal outweighs the rest by two to one, however uneven the
times are: elimination without pivoting is stable. Source: C. de Boor, A Practical Guide to
Splines, chapter IV.
"""

import numpy as np

from .values import Floats


def knot_velocities(times: Floats, positions: Floats, first: Floats) -> Floats:
    """Velocities (points, axes) at the points: `first` (axes,) at the first, zero at the last one.

    Thomas's algorithm: on the way forth each equation, divided by h + H, is rid of the velocity
    before it, which leaves u[i] + rest[i] u[i+1] = right; on the way back that is solved.
    """
    spacing = np.diff(times)
    slopes = np.diff(positions, axis=0) / spacing[:, np.newaxis]
    velocity = np.zeros(positions.shape)
    velocity[0] = first
    both = spacing[:-1] + spacing[1:]
    of_before, of_after = spacing[1:] / both, spacing[:-1] / both
    right = 3.0 * (of_before[:, np.newaxis] * slopes[:-1] + of_after[:, np.newaxis] * slopes[1:])
    rest = [0.0]
    for i, (lower, upper) in enumerate(
        zip(of_before.tolist(), of_after.tolist(), strict=True), start=1
    ):
        pivot = 2.0 - lower * rest[-1]
        rest.append(upper / pivot)
        velocity[i] = (right[i - 1] - lower * velocity[i - 1]) / pivot
    for i in range(len(rest) - 1, 0, -1):
        velocity[i] -= rest[i] * velocity[i + 1]
    return velocity

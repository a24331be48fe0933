"""The compiled kernels together; importing this needs numba."""

from rivals_paper.pyloric.dormand_prince import dormand_prince
from rivals_paper.pyloric.field import EXPONENTIALS, derivative
from rivals_paper.pyloric.splitting import strang

__all__ = ["EXPONENTIALS", "derivative", "dormand_prince", "strang"]

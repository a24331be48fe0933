"""The compiled kernels together; importing this needs numba."""

from rivals.testbeds.pyloric.dormand_prince import dormand_prince
from rivals.testbeds.pyloric.field import EXPONENTIALS, derivative
from rivals.testbeds.pyloric.splitting import strang

__all__ = ["EXPONENTIALS", "derivative", "dormand_prince", "strang"]

import json
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def published():
    return json.loads((Path(__file__).parents[2] / "data" / "blackbody.json").read_text())

"""The page of all public names is as the package has them."""

import importlib.util
from pathlib import Path

TOOL = Path(__file__).parents[1] / "tools" / "api_table.py"


def test_the_table_of_all_names_is_as_the_package_has_them():
    spec = importlib.util.spec_from_file_location("api_table", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    page = tool.PAGE.read_text(encoding="utf-8")
    wanted = tool.page_with(tool.table())
    stale = set(wanted.splitlines()) ^ set(page.splitlines())
    assert page == wanted, f"run python tools/api_table.py; it differs in {sorted(stale)[:6]}"

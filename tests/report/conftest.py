"""A real Chromium; skipped where there is none, but failing under RIVALS_BROWSER=required."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

WHY = (
    "the page is tested in Chromium (Debian: apt-get install chromium chromium-driver) by selenium"
)
OPTIONS = (
    "--headless=new",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--window-size=1366,1400",
)


class Browser:
    """A page in Chromium: what it shows, and its errors."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, page: Path) -> None:
        self.driver.get_log("browser")  # of what came before
        self.driver.get(page.as_uri())

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def rows(self, table: str) -> list[tuple[str, ...]]:
        """The cells of a table as text, without what is drawn."""
        script = """
            const rows = document.querySelectorAll(`#${arguments[0]} tbody tr`);
            return [...rows].map((row) => [...row.children]
                .filter((cell) => !cell.matches(".drawn")).map((cell) => cell.textContent));
        """
        return [tuple(row) for row in self.run(script, table)]

    def choose(self, option: str, place: int) -> None:
        """As a mouse, a finger or a key would: the value, then the event."""
        script = """
            const [option, place] = arguments;
            const slider = document.getElementById(option);
            const input = slider ?? document.querySelectorAll(`input[name=${option}]`)[place];
            if (slider) slider.value = place; else input.checked = true;
            input.dispatchEvent(new Event("input"));
        """
        self.run(script, option, place)

    def errors(self) -> list[str]:
        """On the console: of scripts, and of what the security policy refused."""
        return [each["message"] for each in self.driver.get_log("browser")]

    def widths(self, width: int) -> tuple[int, int]:
        """Of the window, and of what is in it."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        script = "return [innerWidth, document.documentElement.scrollWidth]"
        inside, page = self.run(script)
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        return int(inside), int(page)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    required = os.environ.get("RIVALS_BROWSER") == "required"
    found = list(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    driver = shutil.which("chromedriver")
    try:
        from selenium import webdriver
    except ImportError:
        found = []
    if not found or driver is None:
        (pytest.fail if required else pytest.skip)(WHY)
    options = webdriver.ChromeOptions()
    options.binary_location = found[0]
    for option in (*OPTIONS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(option)
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # Chromium's sandbox refuses root
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chromium = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    chromium.set_page_load_timeout(60)
    yield Browser(chromium)
    chromium.quit()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One browser for all: its tests run in one process where several run at a time."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("browser"))

"""A real Chromium for the tests of the page; skipped, with the reason, where there is none."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

WHY = (
    "the report is tested in Chromium, of which there is none here "
    "(Debian: apt-get install chromium chromium-driver)"
)
OPTIONS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1100,1400",
)


class Browser:
    """A page in Chromium: what it shows, its errors, and what it asked the network for."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, page: Path) -> None:
        self.logs()  # of what came before
        self.driver.get(page.as_uri())

    def text(self, selector: str) -> str:
        return str(
            self.driver.execute_script(
                "return document.querySelector(arguments[0]).textContent", selector
            )
        )

    def texts(self, selector: str) -> list[str]:
        script = """
            const found = document.querySelectorAll(arguments[0]);
            return Array.from(found, (element) => element.textContent);
        """
        return list(self.driver.execute_script(script, selector))

    def count(self, selector: str) -> int:
        return len(self.texts(selector))

    def press(self, selector: str, *keys: str) -> None:
        self.driver.find_element("css selector", selector).send_keys(*keys)

    def set_slider(self, name: str, index: int) -> None:
        """As a mouse or a finger would: the value, then the event."""
        script = """
            const slider = document.getElementById(arguments[0]);
            slider.value = arguments[1];
            slider.dispatchEvent(new Event("input"));
        """
        self.driver.execute_script(script, name, index)

    def slowest_answer(self, moves: int = 10) -> float:
        """Milliseconds from the move of a slider until the page is drawn again: the slowest of
        several over both sliders.
        """
        script = """
            const [id, index] = arguments;
            const slider = document.getElementById(id);
            const begin = performance.now();
            slider.value = index;
            slider.dispatchEvent(new Event("input"));
            document.body.getBoundingClientRect();  // layout, too
            return performance.now() - begin;
        """
        answers = []
        for name in ("c", "threshold"):
            last = int(
                self.driver.execute_script("return document.getElementById(arguments[0]).max", name)
            )
            answers += [
                self.driver.execute_script(script, name, last * k // moves) for k in range(moves)
            ]
        return float(max(answers))

    def logs(self) -> tuple[list[str], list[str]]:
        """Errors on the console, and addresses that were asked for, since the last call."""
        errors = [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE"
        ]
        events = [
            json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")
        ]
        sent = [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]
        return errors, sent


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if os.environ.get("RIVALS_BROWSER") != "required":  # as in CI, where nothing is skipped
        pytest.importorskip(
            "selenium.webdriver", reason="driving Chromium needs selenium (group `test`)"
        )
    with started_browser(tmp_path_factory.mktemp("chromium")) as browser:
        if browser is None:
            (pytest.fail if os.environ.get("RIVALS_BROWSER") == "required" else pytest.skip)(WHY)
        yield browser


@contextmanager
def started_browser(folder: Path) -> Iterator[Browser | None]:
    """Chromium with its files in this folder; None where there is none."""
    chromium = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    chromedriver = shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        yield None
        return
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for option in (*OPTIONS, f"--user-data-dir={folder}"):
        options.add_argument(option)
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # Chromium's sandbox refuses root
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(
        options=options, service=webdriver.ChromeService(executable_path=chromedriver)
    )
    driver.set_page_load_timeout(60)
    driver.get(
        "about:blank"
    )  # away from the browser's own first page, which asks for parts of itself
    yield Browser(driver)
    driver.quit()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One browser for all: its tests run in one process where several run at a time."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("browser"))

"""Texts of the library in the words of the command line: options in place of arguments."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields

from rivals.cli.options import Files
from rivals.setting import Setting

# Arguments that a message may begin with.
ARGUMENTS = (
    *(each.name for each in (*fields(Setting), *fields(Files))),
    *("n_data", "n_experiments", "n_truth", "most_truth", "n_jobs", "store", "retry"),
    *("baseline", "model", "require", "more_groups", "law", "estimate", "error", "difference"),
)

# The library speaks Python; here it speaks of options. The first that fits is taken.
IN_OPTIONS: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"details: result\.details\(\).*", "details: --details   page: --report page.html"),
    (r"result\.to_dataframe\(\)", "--json"),
    (r"use rivals\.read\.predictions\([^)]*\) or (--target \S+?)(?=[,;])", r"use \1"),
    (
        r"use rivals\.read\.summaries\([^)]*\)",
        "use `rivals summarise` with --estimate, --error and --groups",
    ),
    (r"use rivals\.read\.evaluations", "use --score COLUMN"),
    (r"use Losses\.from_log_likelihood", "use --log-likelihood"),
    (r"Pass covariance= \([^)]*\), estimates", "Pass estimates"),
    (r", or pass covariance=", ""),
    (r"\bc=calibration", "--c and the store of a calibration"),
    (r"\bmath\.inf", "inf"),
    (r", or pass a function \(.*", ""),
    (r"pass \(observed, simulated\) or Candidates", "give --simulated"),
    (
        rf"^({'|'.join(ARGUMENTS)})(?=: | must be )",
        lambda m: _option(m[1]),
    ),
    (r" \(pandas: [^()]*(?:\([^()]*\))?[^()]*\)", ""),
    (r" \((?:--\w+)\)", ""),
    (r"\b([a-z][a-z_]*)=\[([^\]…]*)\]", lambda m: f"{_option(m[1])} {_names(m[2])}"),
    (r"\b([a-z][a-z_]*)=(?:\[…\]|\(…\))", lambda m: _option(m[1])),
    (r"\b([a-z][a-z_]*)='([^']*)'", lambda m: f"{_option(m[1])} {m[2]}"),
    (r"\b([a-z][a-z_]*)=True\b", lambda m: _option(m[1])),
    (r"(?<![-\w])([a-z][a-z_]*)=(?=[\s,;.:)\d]|$)", lambda m: f"{_option(m[1])} ".rstrip()),
    # Names of arguments that are no words of English.
    (
        rf"(?<![-\w'])({'|'.join(name for name in ARGUMENTS if '_' in name)})(?![\w'=])",
        lambda m: _option(m[1]),
    ),
]


def in_options(text: str) -> str:
    """A text of the library, with options in place of arguments.

    Examples
    --------
    >>> in_options("pass groups=, the group of each point, or new_groups=1")
    'pass --groups, the group of each point, or --new-groups 1'
    """
    for pattern, meant in IN_OPTIONS:
        text = re.sub(pattern, meant, text)
    return text


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _names(listed: str) -> str:
    """As --models takes them: 'a', 'b' is a,b."""
    return ",".join(name.strip(" '\"") for name in listed.split(","))

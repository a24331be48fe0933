"""What a store sees of a change to the code: fifty ways to change it, in a file and in a notebook,
and what stays the same.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import numbers
import os
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
from omegas import toy

import rivals
from rivals.calibration import StoreError
from rivals.calibration.fingerprint import parts_of

# Each way to change what `omega` does: «before|after», in one file.
WAYS = {
    "a constant": "SCALE = «1|2»\ndef omega(rng): return SCALE",
    "a helper": "def helper(x): return x + «1|2»\ndef omega(rng): return helper(rng)",
    "a helper of a helper": (
        "def a(x): return «1|2»\ndef b(x): return a(x)\ndef omega(rng): return [b(x) for x in rng]"
    ),
    "a default": "def omega(rng, scale=«1|2»): return scale",
    "a keyword default": "def omega(rng, *, scale=«1|2»): return scale",
    "a captured value": "def make(x):\n    return lambda rng: x\nomega = make(«1|2»)",
    "an argument of a partial": (
        "import functools\ndef f(x, rng): return x\nomega = functools.partial(f, «1|2»)"
    ),
    "the state of an object": (
        "class F:\n"
        "    def __init__(self, x): self.x = x\n"
        "    def __call__(self, rng): return self.x\n"
        "omega = F(«1|2»)"
    ),
    "the object of a bound method": (
        "class F:\n"
        "    def __init__(self, x): self.x = x\n"
        "    def f(self, rng): return self.x\n"
        "omega = F(«1|2»).f"
    ),
    "an array": (
        "import numpy as np\nTABLE = {'a': np.arange(«3|4»)}\ndef omega(rng): return TABLE['a']"
    ),
    "a base class": (
        "class A:\n    def f(self): return «1|2»\nclass B(A): pass\ndef omega(rng): return B().f()"
    ),
    "a class attribute that is an object": (
        "class S:\n"
        "    def __init__(self, x): self.x = x\n"
        "class F:\n"
        "    s = S(«1|2»)\n"
        "def omega(rng): return F.s.x"
    ),
    "a cached method": (
        "import functools\n"
        "class F:\n"
        "    @functools.lru_cache\n"
        "    def f(self): return «1|2»\n"
        "def omega(rng): return F().f()"
    ),
    "a partial method": (
        "import functools\n"
        "class F:\n"
        "    def f(self, x): return x\n"
        "    g = functools.partialmethod(f, «1|2»)\n"
        "def omega(rng): return F().g()"
    ),
    "a dataclass attribute that is no field": (
        "import dataclasses\n"
        "@dataclasses.dataclass\n"
        "class F:\n"
        "    x: int = 0\n"
        "    def __post_init__(self): self.y = «1|2»\n"
        "    def __call__(self, rng): return self.y\n"
        "omega = F()"
    ),
    "a wrapped callable with state": (
        "import functools\n"
        "class W:\n"
        "    def __init__(self, f, n):\n"
        "        functools.update_wrapper(self, f)\n"
        "        self.f, self.n = f, n\n"
        "    def __call__(self, rng): return self.f(rng) * self.n\n"
        "def f(rng): return 1\n"
        "omega = W(f, «1|2»)"
    ),
    "a metaclass attribute": (
        "class M(type):\n"
        "    size = «1|2»\n"
        "class F(metaclass=M): pass\n"
        "def omega(rng): return F.size"
    ),
    "a call moved from try to else": (
        "def g(): return 1\n"
        "def omega(rng):\n"
        "    try:\n"
        "        x = 0«; g()|»\n"
        "    except ValueError:\n"
        "        x = 2\n"
        "    else:\n"
        "        pass«|; g()»\n"
        "    return x"
    ),
    "an exception that is caught": (
        "def omega(rng):\n"
        "    try:\n"
        "        return rng()\n"
        "    except «ValueError|TypeError»:\n"
        "        return 0"
    ),
    # From here on our own.
    "a decorator": (
        "def times(n):\n"
        "    def around(f):\n"
        "        return lambda rng: n * f(rng)\n"
        "    return around\n"
        "@times(«1|2»)\n"
        "def omega(rng): return 1"
    ),
    "a property": (
        "class F:\n    @property\n    def x(self): return «1|2»\ndef omega(rng): return F().x"
    ),
    "the setter of a property": (
        "class F:\n"
        "    @property\n"
        "    def x(self): return 1\n"
        "    @x.setter\n"
        "    def x(self, v): self.y = v * «1|2»\n"
        "def omega(rng): return F()"
    ),
    "a static method": (
        "class F:\n    @staticmethod\n    def f(): return «1|2»\ndef omega(rng): return F.f()"
    ),
    "a class method": (
        "class F:\n    @classmethod\n    def f(cls): return «1|2»\ndef omega(rng): return F.f()"
    ),
    "a cached property": (
        "import functools\n"
        "class F:\n"
        "    @functools.cached_property\n"
        "    def x(self): return «1|2»\n"
        "def omega(rng): return F().x"
    ),
    "a function in a registry": (
        "TABLE = {}\n"
        "def register(f): TABLE[f.__name__] = f\n"
        "@register\n"
        "def f(rng): return «1|2»\n"
        "def omega(rng): return TABLE['f'](rng)"
    ),
    "a nested class": "class F:\n    class G:\n        x = «1|2»\ndef omega(rng): return F.G.x",
    "slots": (
        "class F:\n"
        "    __slots__ = ('x',)\n"
        "    def __init__(self, x): self.x = x\n"
        "    def __call__(self, rng): return self.x\n"
        "omega = F(«1|2»)"
    ),
    "an enumeration": (
        "import enum\nclass E(enum.Enum):\n    A = «1|2»\ndef omega(rng): return E.A.value"
    ),
    "a field default of a dataclass": (
        "import dataclasses\n"
        "@dataclasses.dataclass\n"
        "class F:\n"
        "    x: int = «1|2»\n"
        "def omega(rng): return F().x"
    ),
    "a descriptor": (
        "class D:\n"
        "    def __init__(self, x): self.x = x\n"
        "    def __get__(self, obj, kind): return self.x\n"
        "class F:\n"
        "    d = D(«1|2»)\n"
        "def omega(rng): return F().d"
    ),
    "a subclass of list with an attribute": (
        "class L(list): pass\n"
        "ITEMS = L([1])\n"
        "ITEMS.scale = «1|2»\n"
        "def omega(rng): return ITEMS.scale"
    ),
    "single dispatch": (
        "import functools\n"
        "@functools.singledispatch\n"
        "def f(x): return 0\n"
        "@f.register\n"
        "def _(x: int): return «1|2»\n"
        "def omega(rng): return f(1)"
    ),
    "a vectorised function": (
        "import numpy as np\n"
        "def f(x): return x + «1|2»\n"
        "g = np.vectorize(f)\n"
        "def omega(rng): return g(rng)"
    ),
    "an operator": (
        "import operator\n"
        "scale = operator.mul\n"
        "pick = operator.itemgetter(«0|1»)\n"
        "def omega(rng): return pick(rng)"
    ),
    "a data frame": (
        "import pandas as pd\n"
        "DATA = pd.DataFrame({'x': [1, «2|3»]})\n"
        "def omega(rng): return DATA['x']"
    ),
    "a masked array": (
        "import numpy as np\nDATA = np.ma.masked_equal([1, 2], «1|2»)\ndef omega(rng): return DATA"
    ),
    "the order of a dictionary": (
        "TABLE = {«'a': 1, 'b': 2|'b': 2, 'a': 1»}\ndef omega(rng): return next(iter(TABLE))"
    ),
    "a generator's body": "def f():\n    yield «1|2»\ndef omega(rng): return sum(f())",
    "a finally": (
        "def omega(rng):\n"
        "    x = []\n"
        "    try:\n"
        "        «pass|x.append(1)»\n"
        "    finally:\n"
        "        «x.append(1)|pass»\n"
        "    return x"
    ),
    "an abstract base class": (
        "import abc\n"
        "class A(abc.ABC):\n"
        "    @abc.abstractmethod\n"
        "    def f(self): return «1|2»\n"
        "class B(A):\n"
        "    def f(self): return super().f()\n"
        "def omega(rng): return B().f()"
    ),
    "a regular expression": (
        "import re\nPATTERN = re.compile('«a|b»')\ndef omega(rng): return PATTERN.match(rng)"
    ),
    "an attribute of a number": (
        "class F(float): pass\nX = F(1.0)\nX.scale = «1|2»\ndef omega(rng): return X.scale"
    ),
    "a method of a member of an enumeration": (
        "import enum\n"
        "class E(enum.IntEnum):\n"
        "    A = 1\n"
        "    def f(self): return «1|2»\n"
        "A = E.A\n"
        "def omega(rng): return A.f()"
    ),
    "an attribute of a set": (
        "class S(set): pass\nX = S('ab')\nX.scale = «1|2»\ndef omega(rng): return X.scale"
    ),
    "an attribute of an array": (
        "import numpy as np\n"
        "class A(np.ndarray): pass\n"
        "X = np.ones(2).view(A)\n"
        "X.scale = «1|2»\n"
        "def omega(rng): return X.scale"
    ),
    "an attribute of what can be an array": (
        "import numpy as np\n"
        "class A:\n"
        "    scale = 0\n"
        "    def __array__(self, dtype=None, copy=None): return "
        "np.ones(2)\n"
        "X = A()\n"
        "X.scale = «1|2»\n"
        "def omega(rng): return X.scale"
    ),
    "a method bound by hand": (
        "import types\n"
        "class F: pass\n"
        "X = F()\n"
        "X.f = types.MethodType(lambda self: «1|2», X)\n"
        "def omega(rng): return X.f()"
    ),
    "the end of a long chain": (
        "class Link:\n"
        "    def __init__(self, x, rest): self.x, self.rest = x, rest\n"
        "CHAIN = Link(«1|2», None)\n"
        "for _ in range(300): CHAIN = Link(0, CHAIN)\n"
        "def omega(rng): return CHAIN"
    ),
    "a name in a text": "SCALE = «1|2»\ndef omega(rng): return eval('SCALE')",
}

# The same in several files: what «before|after» stands in, and how omega reaches it.
FILES = {
    "a function in a submodule": {
        "{p}/__init__.py": "",
        "{p}/deep.py": "def f(x): return «1|2»",
        "{m}.py": "import {p}.deep\ndef omega(rng): return {p}.deep.f(rng)",
    },
    "a module in a dictionary": {
        "{p}.py": "def f(x): return «1|2»",
        "{m}.py": "import {p}\nMODULES = dict(a={p})\ndef omega(rng): return MODULES['a'].f(rng)",
    },
    "a relative import": {
        "{p}/__init__.py": "from .inner import f",
        "{p}/inner.py": "from . import base\ndef f(x): return base.g(x)",
        "{p}/base.py": "def g(x): return «1|2»",
        "{m}.py": "from {p} import f as omega",
    },
    "a module imported within a function": {
        "{p}.py": "def f(x): return «1|2»",
        "{m}.py": "def omega(rng):\n    from {p} import f\n    return f(rng)",
    },
    "a star": {
        "{p}.py": "def f(x): return «1|2»",
        "{m}.py": "from {p} import *\ndef omega(rng): return f(rng)",
    },
    "a name looked up as text": {
        "{p}.py": "def f_a(x): return «1|2»",
        "{m}.py": "import {p}\ndef omega(rng): return getattr({p}, 'f_' + 'a')(rng)",
    },
    "an evaluated text": {
        "{m}.py": "def f(): return «1|2»\ndef omega(rng): return eval('f' + '()')"
    },
    "the dictionary of a module": {
        "{m}.py": "def f(): return «1|2»\ndef omega(rng): return globals()['f']()"
    },
    "a module of a namespace package": {
        "{p}/inner.py": "def f(x): return «1|2»",
        "{m}.py": "def omega(rng):\n    import {p}.inner\n    return {p}.inner.f(rng)",
    },
    "the attribute function of a module": {
        "{p}.py": "def __getattr__(name): return «1|2»",
        "{m}.py": "import {p}\ndef omega(rng): return {p}.anything",
    },
    "a module imported by its name": {
        "{p}.py": "def f(x): return «1|2»",
        "{m}.py": "import importlib\ndef omega(rng): return importlib.import_module('{p}').f(rng)",
    },
    "a package with a table of names": {
        "{p}/__init__.py": (
            "from importlib import import_module\n"
            "WHERE = dict(f='.inner')\n"
            "def __getattr__(name): return getattr(import_module(WHERE[name], "
            "__name__), name)"
        ),
        "{p}/inner.py": "def f(x): return «1|2»",
        "{m}.py": "import {p}\ndef omega(rng): return {p}.f(rng)",
    },
    "a constant of another module": {
        "{p}.py": "SCALE = «1|2»",
        "{m}.py": "import {p}\ndef omega(rng): return {p}.SCALE",
    },
}
COUNT = itertools.count()


def variant(text: str, which: int) -> str:
    """The text before or after the change."""
    parts = text.replace("»", "«").split("«")
    return "".join(
        part.split("|")[which] if place % 2 else part for place, part in enumerate(parts)
    )


def in_files(folder, files, which, names):
    """Omega of a fresh interpreter, as far as these modules are concerned."""
    for path, text in files.items():
        file = folder / path.format(**names)
        file.parent.mkdir(exist_ok=True)
        file.write_text(variant(text, which).replace("{p}", names["p"]).replace("{m}", names["m"]))
    for name in [name for name in sys.modules if name.partition(".")[0] in names.values()]:
        del sys.modules[name]
    importlib.invalidate_caches()
    return importlib.import_module(names["m"]).omega


@pytest.mark.parametrize("way", [*WAYS, *FILES])
def test_a_change_in_a_file_is_seen_and_the_file_named(way, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        sys, "dont_write_bytecode", True
    )  # both versions are written within the resolution of a stamp
    files = FILES.get(way) or {"{m}.py": WAYS[way]}
    number = next(COUNT)
    names = {"p": f"helpers_{number}", "m": f"study_{number}"}
    before, same, after = (parts_of(in_files(tmp_path, files, which, names)) for which in (0, 0, 1))
    assert before == same
    changed = next(path for path, text in files.items() if "«" in text).format(**names)
    assert any(
        part.startswith(f"the file {os.path.basename(changed)}")
        for part in before
        if before[part] != after.get(part)
    )


@pytest.mark.parametrize("way", WAYS)
def test_a_change_in_a_notebook_is_seen(way):
    before, same, after = (parts_of(notebook(variant(WAYS[way], which))) for which in (0, 0, 1))
    assert before == same != after


def notebook(source):
    scope = {"__name__": "a_notebook"}
    exec(compile(source, "<cell>", "exec", dont_inherit=True), scope)
    return scope["omega"]


SCRIPT = """
from rivals.calibration.fingerprint import parts_of
N = {n}
def by_name(): return {value}
def omega(rng): return {body}
def main(): print(sorted(parts_of(omega).items()), {n}, sep="\\n")
main()
"""


def of_script(path, **changes):
    path.write_text(SCRIPT.format(**{"n": 1, "value": 1, "body": "by_name()", **changes}))
    found = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    return found.stdout.splitlines()[0]


def test_a_script_may_ask_for_more_experiments_but_not_do_something_else(tmp_path):
    path = tmp_path / "study.py"
    first = of_script(path)
    assert of_script(path, n=2) == first
    assert of_script(path, value=2) != first
    by_text = of_script(path, body="globals()['by_name']()")
    assert of_script(path, body="globals()['by_name']()", value=2) != by_text


def test_comments_and_layout_do_not_count(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    names = {"p": "layout_p", "m": "layout_m"}
    one, two = (
        "def omega(rng): return 1",
        "# why\ndef omega(\n    rng\n):\n    # because\n    return 1\n",
    )
    first, second = (
        parts_of(in_files(tmp_path, {"{m}.py": text}, 0, names)) for text in (one, two)
    )
    assert first == second


def test_a_file_edited_after_it_was_imported_is_not_taken_for_what_runs(tmp_path, monkeypatch):
    """The code in memory counts, too: a study begun with it is not continued with what the file
    says now.
    """
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    names = {"p": "edited_p", "m": "edited_m"}
    omega = in_files(tmp_path, {"{m}.py": "def omega(rng): return 1"}, 0, names)
    (tmp_path / "edited_m.py").write_text("def omega(rng): return 2")
    stale = parts_of(omega)
    assert parts_of(in_files(tmp_path, {"{m}.py": "def omega(rng): return 2"}, 0, names)) != stale


def test_fingerprints_are_the_same_in_every_process():
    sources = [variant(source, 0) for source in WAYS.values()]
    code = f"""
        from rivals.calibration.fingerprint import parts_of
        def literal(rng):
            return rng in {{"one", "two", "three", "four", "five"}}
        print(sorted(parts_of(literal).items()))
        for source in {sources!r}:
            scope = {{"__name__": "a_notebook"}}
            exec(source, scope)
            print(sorted(parts_of(scope["omega"]).items()))
    """
    first, second = (
        subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout.splitlines()
        for seed in ("1", "2")
    )
    assert len(first) == len(WAYS) + 1
    assert [
        way
        for way, *pair in zip(["a literal", *WAYS], first, second, strict=True)
        if pair[0] != pair[1]
    ] == []


def test_using_a_function_does_not_change_its_parts_of():
    class Cached:
        def __init__(self):
            self.frame = pd.DataFrame({"x": [1.0, 2.0]})

        @functools.cached_property
        def mean(self):
            return float(self.frame["x"].mean())

        @functools.lru_cache  # noqa: B019
        def power(self, x):
            return self.mean**x

        def __call__(self, rng):
            return self.power(2)

    cached, generator = Cached(), np.random.default_rng(0)

    def draws(rng):
        return generator

    before = parts_of(cached), parts_of(draws)
    cached(None)
    generator.random()
    assert (parts_of(cached), parts_of(draws)) == before
    other = Cached()
    other.frame.loc[0, "x"] = 5.0
    assert parts_of(other) != before[0]


def test_caches_of_functools_do_not_count():
    class Cached:
        @functools.cached_property
        def mean(self):
            return 1.0

    @functools.singledispatch
    def kind(x):
        return "other"

    @kind.register(numbers.Number)
    def _(x):
        return "number"

    cached = Cached()

    def omega(rng):
        return cached.mean, kind(rng)

    before = parts_of(omega)
    omega(1)
    assert parts_of(omega) == before


# How omega reaches a module that reads a number from a file as it is imported.
REACHED = {
    "of a package": "import {p}.inner\ndef omega(rng): return {p}.inner.SCALE",
    "in a dictionary": (
        "from {p} import inner\nMODULES = dict(a=inner)\ndef omega(rng): return MODULES['a'].SCALE"
    ),
    "as an argument": (
        "from {p} import inner\ndef f(module): return module.SCALE\ndef omega(rng): return f(inner)"
    ),
    "as a default": "from {p} import inner\ndef omega(rng, module=inner): return module.SCALE",
    "with a name as text": "from {p} import inner\ndef omega(rng): return getattr(inner, 'SCALE')",
}


@pytest.mark.parametrize("way", REACHED)
def test_data_that_a_module_reads_on_import_count(way, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    names = {"p": f"helpers_{next(COUNT)}", "m": f"study_{next(COUNT)}"}
    inner = "import pathlib\nSCALE = float(pathlib.Path(__file__).with_name('x.txt').read_text())"
    files = {
        "{p}/__init__.py": "",
        "{p}/inner.py": inner,
        "{p}/x.txt": "«1|2»",
        "{m}.py": REACHED[way],
    }
    before, same, after = (parts_of(in_files(tmp_path, files, which, names)) for which in (0, 0, 1))
    assert before == same
    assert [part for part in before if before[part] != after[part]] == [f"{names['p']}.inner.SCALE"]


def test_a_module_that_is_loaded_by_the_first_experiment_does_not_count_as_a_change(
    tmp_path, monkeypatch
):
    monkeypatch.syspath_prepend(tmp_path)
    names = {"p": "loaded_late", "m": "loads_late"}
    body = "import {p}\ndef omega(rng):\n    import {p}.inner as late\n    return {p}.inner.SCALE"
    files = {"{p}/__init__.py": "", "{p}/inner.py": "SCALE = 1", "{m}.py": body}
    omega = in_files(tmp_path, files, 0, names)
    before = parts_of(omega)
    omega(None)
    assert parts_of(omega) == before


def test_a_module_may_have_the_name_of_one_of_python(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setitem(sys.modules, "code", importlib.import_module("code"))  # put back in the end
    names = {"p": "code", "m": "beside_code"}
    files = {
        "{p}.py": "def f(x): return «1|2»",
        "{m}.py": "import {p}\ndef omega(rng): return {p}.f(rng)",
    }
    before, after = (parts_of(in_files(tmp_path, files, which, names)) for which in (0, 1))
    assert before["the file code.py"] != after["the file code.py"]


def test_compiled_functions_count_by_what_they_compile(tmp_path, monkeypatch):
    """Numba and JAX give pickle more: a number of the process, the folder of the file."""
    library = tmp_path / "site-packages"
    library.mkdir()
    (library / "compiler_for_tests.py").write_text(
        "import functools, os\n"
        "class Compiled:\n"
        "    def __init__(self, f): functools.update_wrapper(self, f)\n"
        "    def __call__(self, x): return self.__wrapped__(x)\n"
        "    def __getstate__(self): return dict(vars(self), number=os.urandom(8))\n"
    )
    monkeypatch.syspath_prepend(library)
    source = (
        "from compiler_for_tests import Compiled\n"
        "@Compiled\n"
        "def f(x): return «1|2»\n"
        "def omega(rng): return f(rng)"
    )
    before, same, after = (parts_of(notebook(variant(source, which))) for which in (0, 0, 1))
    assert before == same != after


def test_names_of_arrays_count():
    xarray = pytest.importorskip("xarray")

    def parts_with(data):
        return parts_of(lambda rng: data)

    one, two = (xarray.DataArray([1.0, 2.0], dims="t", coords={"t": [0, last]}) for last in (1, 2))
    assert parts_with(one) == parts_with(one.copy()) != parts_with(two)
    one, two = (xarray.Dataset({"x": ("t", [1.0, last])}) for last in (1, 2))
    assert parts_with(one) == parts_with(one.copy()) != parts_with(two)


def test_lambdas_of_one_line_differ():
    one, two = (lambda x: x + 1), (lambda x: x - 1)
    assert parts_of(one) != parts_of(two)


def test_what_changed_is_named(tmp_path, small):
    path = tmp_path / "s.sqlite"
    for spread in (0.1, 0.2):
        scope = {"__name__": "users_own", "toy": toy, "SPREAD": spread}
        exec("def omega(rng):\n    return toy(rng, spread=SPREAD)", scope)
        if spread == 0.1:
            rivals.calibrate(scope["omega"], n_experiments=2, store=path, executor=0, **small)
    with pytest.raises(
        StoreError, match=r"of epistemic distribution\(s\) \['omega'\] changed: SPREAD; use"
    ):
        rivals.calibrate(scope["omega"], n_experiments=3, store=path, executor=0, **small)

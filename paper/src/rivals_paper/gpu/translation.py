"""C++ from the Python source of compiled kernels, so that equations exist once for every processor.

`translate` reads the functions that numba compiles for the processor here, and writes the same
functions as C++ templates, which NVRTC compiles for a GPU and any C++ compiler for a test. The
subset of Python is the one of a kernel: numbers, arrays, loops, conditions, calls of other kernels.
Anything else is refused by name, never guessed.

Arrays are `Array<d0, d1>`, whose shape the compiler knows, or `View<rank>`, whose shape is known
when it runs; functions are templates over both. Integers stay integers and `/` is always the
division of reals, as in Python.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, Final

# What Python, math and NumPy call a function, and what PRELUDE or C calls it.
CALLS: Final = {
    "min": "least",
    "max": "greatest",
    "abs": "fabs",
    "int": "whole",
    "fused": "fma",
    "math.floor": "floor_to_int",
    "math.sqrt": "root",
    "math.exp": "exp",
    "math.expm1": "expm1",
    "math.log": "log",
    "np.floor": "floor",
    "np.nextafter": "nextafter",
}
OPERATORS: Final = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Mod: "%"}
COMPARISONS: Final = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
TYPES: Final = {"float": "double", "int": "int", "None": "void", "bool": "bool"}

PRELUDE: Final = r"""
#ifdef __CUDACC__
#define FUNCTION __device__ inline
#define UNROLL _Pragma("unroll")
#define INFINITE __longlong_as_double(0x7ff0000000000000LL)
#else
#include <cmath>
using namespace std;
#define FUNCTION inline
#define UNROLL
#define INFINITE HUGE_VAL
#endif

namespace kernels {

template <int First, int... Rest> struct Array {
    double *data;
    FUNCTION static constexpr int extent(int axis) { const int sizes[] = {First, Rest...};
    return sizes[axis]; }
    static constexpr int stride = (Rest * ... * 1);
    FUNCTION Array<Rest...> operator[](int i) const { return {data + i * stride}; }
    template <class... Index> FUNCTION double &operator()(int i, Index... rest) const {
        return (*this)[i](rest...); }
};
template <int First> struct Array<First> {
    double *data;
    FUNCTION static constexpr int extent(int) { return First; }
    FUNCTION double &operator[](int i) const { return data[i]; }
    FUNCTION double &operator()(int i) const { return data[i]; }
};
template <int rank> struct View;
template <> struct View<1> {
    double *data;
    int shape[1];
    FUNCTION int extent(int axis) const { return shape[axis]; }
    FUNCTION double &operator[](int i) const { return data[i]; }
};
template <> struct View<2> {
    double *data;
    int shape[2];
    FUNCTION int extent(int axis) const { return shape[axis]; }
    FUNCTION View<1> operator[](int i) const { return {data + (long long)i * shape[1], {shape[1]}};
    }
    FUNCTION double &operator()(int i, int j) const { return data[(long long)i * shape[1] + j]; }
};
template <class Vector> FUNCTION View<1> part(Vector vector, int first, int last) {
    return {vector.data + first, {last - first}}; }

template <class First, class Second> struct Pair { First first; Second second; };
template <class First, class Second> FUNCTION Pair<First, Second> both(First first,
    Second second) { return {first, second}; }

template <class A, class B> FUNCTION auto least(A a, B b) -> decltype(a + b) {
    return b < a ? b : a; }
template <class A, class B> FUNCTION auto greatest(A a, B b) -> decltype(a + b) {
    return b > a ? b : a; }
template <class A, class B> FUNCTION double divide(A a, B b) { return (double)a / (double)b; }
FUNCTION double root(double x) { return sqrt(x); }
FUNCTION int whole(double x) { return (int)x; }
FUNCTION int floor_to_int(double x) { return (int)floor(x); }
// Gates are raised to the third and fourth power, for which a general pow is slow on a GPU.
FUNCTION double power(double x, double p) {
    return p == 3.0 ? x * x * x : p == 4.0 ? (x * x) * (x * x) : pow(x, p); }
"""


def translate(
    functions: Sequence[Callable[..., Any]], native: str = "", *, rolled: Sequence[str] = ()
) -> str:
    """C++ source of these kernels, in this order, each after those it calls.

    Parameters
    ----------
    functions
        Kernels as numba compiles them (dispatchers or plain functions). What their modules hold as
        numbers is written in as literals.
    native
        C++ source of functions that each processor has in its own way, placed before them.
    rolled
        Functions whose loops stay loops. Those of all others are unrolled on a GPU, so that small
        arrays live in registers: half the memory of a thread.

    Returns
    -------
    str
        `PRELUDE`, `native` and the functions, in the namespace ``kernels``.

    Examples
    --------
    >>> from rivals_paper.pyloric import field
    >>> "value = ((value * x) + pieces(j, k));" in translate([field.polynomial_current])
    True
    """
    written = [
        _Function(getattr(function, "py_func", function), rolled).text() for function in functions
    ]
    return "\n".join([PRELUDE, native, *written, "}  // namespace kernels"])


class TranslationError(ValueError):
    """A kernel uses something that `translate` does not know."""


class _Function:
    """One function: its source, and which of its variables are declared where."""

    def __init__(self, function: Callable[..., Any], rolled: Sequence[str]) -> None:
        self.name = function.__name__
        self.unroll = "" if self.name in rolled else "UNROLL "
        self.globals = function.__globals__
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        self.definition = tree.body[0]
        assert isinstance(self.definition, ast.FunctionDef)
        self.parameters = [argument.arg for argument in self.definition.args.args]
        self.declarations = _Declarations(self.definition, set(self.parameters))
        self.temporaries = 0

    def text(self) -> str:
        definition = self.definition
        assert isinstance(definition, ast.FunctionDef)
        kinds = []
        arrays = []
        for argument in definition.args.args:
            kind = ast.unparse(argument.annotation) if argument.annotation else "nothing"
            if kind == "FloatArray":
                arrays.append(f"class Array_{argument.arg}")
                kinds.append(f"Array_{argument.arg} {argument.arg}")
            else:
                kinds.append(f"{self._type(kind)} {argument.arg}")
        returned = ast.unparse(definition.returns) if definition.returns else "nothing"
        head = "auto" if returned.startswith("tuple") else self._type(returned)
        template = f"template <{', '.join(arrays)}> " if arrays else ""
        body = self._block(definition.body)
        return f"{template}FUNCTION {head} {self.name}({', '.join(kinds)}) {{\n{body}}}\n"

    def _type(self, name: str) -> str:
        if name not in TYPES:
            raise TranslationError(
                f"{self.name}: a parameter or result has the type {name}; write float, int or "
                "FloatArray"
            )
        return TYPES[name]

    # Statements

    def _block(self, statements: list[ast.stmt]) -> str:
        lines = [
            f"double {name} = 0.0;" for name in self.declarations.hoisted.get(id(statements), [])
        ]
        for statement in statements:
            lines += self._statement(statement)
        return "".join("    " + line + "\n" for text in lines for line in text.splitlines())

    def _statement(self, node: ast.stmt) -> list[str]:
        match node:
            case ast.Expr(value=ast.Constant()):
                return []
            case ast.Expr(value=ast.Call() as call):
                return [self._expression(call) + ";"]
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                self._check_apart(node)
                return [
                    self._single(target, value, node)
                    for target, value in zip(targets, values, strict=True)
                ]
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call() as call):
                self.temporaries += 1
                pair = f"pair_{self.temporaries}"
                first, second = (
                    self._assign(t, f"{pair}.{part}", node)
                    for t, part in zip(targets, ("first", "second"), strict=True)
                )
                return [f"const auto {pair} = {self._expression(call)};", first, second]
            case (
                ast.Assign(targets=[target], value=value)
                | ast.AnnAssign(target=target, value=ast.expr() as value)
            ):
                return [self._single(target, value, node)]
            case ast.AugAssign(target=target, op=op, value=value):
                left = self._expression(target)
                return [f"{left} = {self._binary(op, left, self._expression(value), node)};"]
            case ast.For(
                target=ast.Name(id=name),
                iter=ast.Call(func=ast.Name(id="range"), args=arguments),
                body=body,
            ):
                return [
                    self.unroll + self._range(name, arguments) + " {\n" + self._block(body) + "}"
                ]
            case ast.While(test=test, body=body, orelse=[]):
                return [f"while ({self._expression(test)}) {{\n" + self._block(body) + "}"]
            case ast.If(test=test, body=body, orelse=orelse):
                text = f"if ({self._expression(test)}) {{\n" + self._block(body) + "}"
                return [text + (" else {\n" + self._block(orelse) + "}" if orelse else "")]
            case ast.Break():
                return ["break;"]
            case ast.Continue():
                return ["continue;"]
            case ast.Return(value=None):
                return ["return;"]
            case ast.Return(value=ast.Tuple(elts=[first, second])):
                return [f"return both({self._expression(first)}, {self._expression(second)});"]
            case ast.Return(value=ast.expr() as value):
                return [f"return {self._expression(value)};"]
        raise self._unknown(node)

    def _check_apart(self, node: ast.Assign) -> None:
        """One after the other is the same as all at once where no target occurs in a value."""
        assert isinstance(node.targets[0], ast.Tuple)
        assert isinstance(node.value, ast.Tuple)
        names = {ast.unparse(target) for target in node.targets[0].elts}
        if names & {inner.id for inner in ast.walk(node.value) if isinstance(inner, ast.Name)}:
            raise TranslationError(
                f"{self.name}, line {node.lineno}: an exchange of variables; write it with a third "
                "one"
            )

    def _single(self, target: ast.expr, value: ast.expr, node: ast.stmt) -> str:
        match target, value:
            case ast.Name(id=name), ast.Call(func=ast.Attribute(attr="zeros"), args=[shape]):
                return self._zeros(name, shape)
        return self._assign(target, self._expression(value), node)

    def _assign(self, target: ast.expr, value: str, node: ast.stmt) -> str:
        if isinstance(target, ast.Name) and self.declarations.declares(target.id, node):
            constant = "const " if self.declarations.count[target.id] == 1 else ""
            return f"{constant}auto {target.id} = {value};"
        return f"{self._expression(target)} = {value};"

    def _zeros(self, name: str, shape: ast.expr) -> str:
        sizes = shape.elts if isinstance(shape, ast.Tuple) else [shape]
        dimensions = [self._expression(size) for size in sizes]
        product = " * ".join(f"({size})" for size in dimensions)
        return (
            f"double {name}_memory[{product}] = {{}};\nconst Array<{', '.join(dimensions)}> {name} "
            f"= {{{name}_memory}};"
        )

    def _range(self, name: str, arguments: list[ast.expr]) -> str:
        bounds = [self._expression(argument) for argument in arguments]
        first, last, step = ["0", bounds[0], "1"] if len(bounds) == 1 else [*bounds, "1"][:3]
        backwards = len(arguments) == 3 and isinstance(arguments[2], ast.UnaryOp)
        return (
            f"for (int {name} = {first}; {name} {'>' if backwards else '<'} {last}; {name} += "
            f"{step})"
        )

    # Expressions

    def _expression(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=bool(value)):
                return "true" if value else "false"
            case ast.Constant(value=int(value) | float(value)):
                return _literal(value)
            case ast.Name(id=name):
                return self._name(name, node)
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(op, self._expression(left), self._expression(right), node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"(-{self._expression(operand)})"
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"(!({self._expression(operand)}))"
            case ast.BoolOp(op=op, values=values):
                sign = " && " if isinstance(op, ast.And) else " || "
                return "(" + sign.join(self._expression(value) for value in values) + ")"
            case ast.Compare(left=left, ops=[ast.In()], comparators=[ast.Tuple(elts=choices)]):
                found = self._expression(left)
                return (
                    "("
                    + " || ".join(f"{found} == {self._expression(choice)}" for choice in choices)
                    + ")"
                )
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARISONS:
                return (
                    f"({self._expression(left)} {COMPARISONS[type(op)]} {self._expression(right)})"
                )
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return (
                    f"({self._expression(test)} ? {self._expression(body)} : "
                    f"{self._expression(orelse)})"
                )
            case ast.Call(func=func, args=arguments, keywords=[]):
                called = self._called(func)
                given = ", ".join(self._expression(argument) for argument in arguments)
                return f"{called}({given})"
            case ast.Attribute(value=ast.Name(id="np"), attr="inf"):
                return "INFINITE"
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id=name), attr="shape"),
                slice=ast.Constant(value=int(axis)),
            ):
                return f"{name}.extent({axis})"
            case ast.Subscript(
                value=array, slice=ast.Slice(lower=lower, upper=ast.expr() as upper, step=None)
            ):
                first = self._expression(lower) if lower else "0"
                return f"part({self._expression(array)}, {first}, {self._expression(upper)})"
            case ast.Subscript(value=array, slice=ast.Tuple(elts=indices)):
                name = self._expression(array)
                places = ", ".join(self._expression(index) for index in indices)
                return f"{name}({places})"
            case ast.Subscript(
                value=ast.Name(id=name),
                slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(back))),
            ):
                return f"{name}[{name}.extent(0) - {back}]"
            case ast.Subscript(value=array, slice=index):
                return f"{self._expression(array)}[{self._expression(index)}]"
        raise self._unknown(node)

    def _binary(self, op: ast.operator, left: str, right: str, node: ast.AST) -> str:
        if isinstance(op, ast.Div):
            return f"divide({left}, {right})"
        if isinstance(op, ast.Pow):
            return f"power({left}, {right})"
        if type(op) not in OPERATORS:
            raise self._unknown(node)
        return f"({left} {OPERATORS[type(op)]} {right})"

    def _called(self, func: ast.expr) -> str:
        name = ast.unparse(func)
        if name in CALLS:
            return CALLS[name]
        if isinstance(func, ast.Name) and callable(self.globals.get(name)):
            return name
        raise self._unknown(func)

    def _name(self, name: str, node: ast.AST) -> str:
        if name in self.parameters or name in self.declarations.count:
            return name
        value = self.globals.get(name)
        if isinstance(value, int | float):
            return _literal(value)
        raise self._unknown(node)

    def _unknown(self, node: ast.AST) -> TranslationError:
        return TranslationError(
            f"{self.name}, line {getattr(node, 'lineno', '?')}: {ast.unparse(node)!r} has no "
            "translation to C++; kernels hold numbers, arrays, loops, conditions and calls of "
            "other kernels"
        )


class _Declarations:
    """Which statement declares each variable.

    A variable belongs to the innermost block that holds all its uses. If that block assigns it
    before any inner block does, the first assignment declares it; otherwise it is declared at the
    top of the block, as a double.
    """

    def __init__(self, definition: ast.FunctionDef, parameters: set[str]) -> None:
        self.count: dict[str, int] = {}
        self.hoisted: dict[int, list[str]] = {}
        self._declaring: dict[str, int] = {}
        paths: dict[str, list[tuple[list[list[ast.stmt]], ast.stmt, bool]]] = {}
        self._walk(definition.body, [], paths)
        loops = {
            node.target.id
            for node in ast.walk(definition)
            if isinstance(node, ast.For) and isinstance(node.target, ast.Name)
        }
        for name, uses in paths.items():
            stores = [use for use in uses if use[2]]
            if not stores or name in parameters or name in loops:
                self.count.setdefault(name, 0) if name in loops else None
                continue
            self.count[name] = len(stores)
            common = uses[0][0]
            for blocks, _, _ in uses[1:]:
                common = [one for one, other in zip(common, blocks, strict=False) if one is other]
            home = common[-1]
            first = stores[0]
            if first[0][-1] is home:
                self._declaring[name] = id(first[1])
            else:
                self.hoisted.setdefault(id(home), []).append(name)

    def declares(self, name: str, node: ast.stmt) -> bool:
        return self._declaring.get(name) == id(node)

    def _walk(
        self, block: list[ast.stmt], above: list[list[ast.stmt]], paths: dict[str, Any]
    ) -> None:
        here = [*above, block]
        for statement in block:
            inner = [getattr(statement, field, []) for field in ("body", "orelse")]
            own = ast.walk(statement) if not any(inner) else _heads(statement)
            for node in own:
                if isinstance(node, ast.Name):
                    stored = isinstance(node.ctx, ast.Store)
                    paths.setdefault(node.id, []).append((here, statement, stored))
                    # x += 1 reads and stores: it is a second assignment, never a declaration.
            for body in inner:
                if body:
                    self._walk(body, here, paths)


def _heads(statement: ast.stmt) -> list[ast.AST]:
    """What a compound statement reads itself: its condition or its range."""
    heads = [
        getattr(statement, field)
        for field in ("test", "iter", "target")
        if hasattr(statement, field)
    ]
    return [node for head in heads for node in ast.walk(head)]


def _literal(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    return (
        "INFINITE"
        if value == math.inf
        else "(-INFINITE)"
        if value == -math.inf
        else repr(float(value))
    )

"""Writes the types and methods of the Python client."""

from .model import Alias, Choice, Either, Many, Mapping, Named, Primitive, NULL
from .names import all_of, argument

HEAD = '"""{}\n\nMade from the description of the interface by tools/sdk/generate (`make sdk`). Changes here are lost.\n"""\n'
PRIMITIVES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", "any": "Any"}
# Arguments that methods have besides those of their operations.
RESERVED = {"self", "idempotency_key"}


def files(interface):
    return {
        "sdk/python/src/tonearm/types.py": types(interface),
        "sdk/python/src/tonearm/_operations.py": operations(interface),
        "sdk/python/src/tonearm/_async_operations.py": async_operations(interface),
    }


def written(kind, within=""):
    if isinstance(kind, Primitive):
        return PRIMITIVES[kind.name]
    if isinstance(kind, Named):
        return f"{within}{kind.name}"
    if isinstance(kind, Choice):
        return "Literal[" + ", ".join(f'"{value}"' for value in kind.values) + "]"
    if isinstance(kind, Many):
        return f"List[{written(kind.of, within)}]"
    if isinstance(kind, Mapping):
        return f"Dict[str, {written(kind.of, within)}]"
    if isinstance(kind, Either):
        parts = [written(part, within) for part in kind.of if part != NULL]
        whole = parts[0] if len(parts) == 1 else f"Union[{', '.join(parts)}]"
        return f"Optional[{whole}]" if NULL in kind.of else whole
    raise SystemExit(f"no way to write {kind}")


def string(text):
    """A documentation string, or the comment of a type."""
    return text.replace("\\", "\\\\").replace('"""', "'''").strip()


def commented(text, indent=""):
    return "".join(f"{indent}# {line}".rstrip() + "\n" for line in text.strip().splitlines())


def contains_itself(name, kind):
    return Named(name) in inner_types(kind.type)


def inner_types(kind):
    found = [kind]
    for part in kind.of if isinstance(kind, Either) else [kind.of] if isinstance(kind, (Many, Mapping)) else []:
        found += inner_types(part)
    return found


def ordered(types):
    """Aliases are values of Python, so what they name has to stand before them. Records name others as text."""
    done = []

    def add(name):
        if name in done:
            return
        kind = types[name]
        if isinstance(kind, Alias):
            for inner in inner_types(kind.type):
                if isinstance(inner, Named) and inner.name != name:
                    add(inner.name)
        done.append(name)

    for name in types:
        add(name)
    return done


def record(name, kind):
    """Fields that are always there, and those that may be missing: before Python 3.11 that takes two classes."""
    required = [one for one in kind.fields if one.is_required]
    optional = [one for one in kind.fields if not one.is_required]
    text = string(kind.text)
    if any(argument(one.name) != one.name for one in kind.fields):
        return call_of_record(name, required, optional, text)
    if required and optional:
        base = f"class _{name}(TypedDict):\n" + members(required)
        return f"{base}\n\nclass {name}(_{name}, total=False):\n{docstring(text)}{members(optional)}"
    total = "" if required else ", total=False"
    return f"class {name}(TypedDict{total}):\n{docstring(text)}{members(kind.fields) or '    pass' + chr(10)}"


def call_of_record(name, required, optional, text):
    """A field whose name is a word of Python can only be written as text."""
    kinds = {one.name: written(one.type).replace('"', "'") for one in required}
    mapping = "".join(f'    "{field}": "{kind}",\n' for field, kind in kinds.items())
    if any(argument(one.name) != one.name for one in optional):
        raise SystemExit(f"{name} has an optional field whose name is a word of Python")
    base = f'_{name} = TypedDict("_{name}", {{\n{mapping}}})\n'
    return f"{base}\n\nclass {name}(_{name}, total=False):\n{docstring(text)}{members(optional) or ('' if text else '    pass' + chr(10))}"


def docstring(text, indent="    "):
    if not text:
        return ""
    lines = text.splitlines()
    if len(lines) == 1:
        return f'{indent}"""{text}"""\n'
    return f'{indent}"""{lines[0]}\n' + "".join(f"{indent}{line}".rstrip() + "\n" for line in lines[1:]) + f'{indent}"""\n'


def members(fields):
    return "".join(f"{commented(one.text, '    ')}    {one.name}: {written(one.type)}\n" for one in fields)


def types(interface):
    parts = [
        HEAD.format("The objects of the interface, as dictionaries with known keys.")
        + "\nfrom __future__ import annotations\n\nfrom typing import Any, Dict, List, Literal, Optional, TypedDict, Union\n"
    ]
    for name in ordered(interface.types):
        kind = interface.types[name]
        if isinstance(kind, Alias):
            # A type that contains itself cannot be a plain alias.
            value = "Any" if contains_itself(name, kind) else written(kind.type)
            parts.append(f"{commented(kind.text)}{name} = {value}\n")
        else:
            parts.append(record(name, kind))
    names = ", ".join(f'"{name}"' for name in interface.types)
    parts.append(f"__all__ = [{names}]\n")
    return "\n\n".join(parts)


def body_fields(operation, interface):
    return interface.types[operation.body].fields if operation.body else []


def parameters(operation, interface, is_paged=False):
    """The signature after `self`."""
    found = [f"{one.name}: {written(one.type, 'types.')}" for one in operation.path_parameters]
    keywords = []
    for one in operation.query:
        kind = written(one.type, "types.")
        if is_paged and operation.list and one.name == operation.list.by:
            continue
        keywords.append(f"{argument(one.name)}: {kind}" if one.is_required else f"{argument(one.name)}: Optional[{kind}] = None")
    for one in body_fields(operation, interface):
        kind = written(one.type, "types.")
        keywords.append(
            f"{argument(one.name)}: {kind}" if one.is_required else f"{argument(one.name)}: Union[{kind}, NotGiven] = NOT_GIVEN"
        )
    keywords.sort(key=lambda text: " = " in text)
    if operation.can_repeat:
        keywords.append("idempotency_key: Optional[str] = None")
    check(operation, interface)
    return found + (["*", *keywords] if keywords else [])


def check(operation, interface):
    names = [one.name for one in operation.path_parameters + operation.query + body_fields(operation, interface)]
    if len(set(names)) != len(names) or RESERVED & set(names):
        raise SystemExit(f"{operation.name} has two arguments of the same name")


def signature(keyword, name, given, returns):
    inner = "".join(f"        {one},\n" for one in ["self", *given])
    return f"    {keyword} {name}(\n{inner}    ) -> {returns}:\n" if given else f"    {keyword} {name}(self) -> {returns}:\n"


def pairs(fields):
    return "{" + ", ".join(f'"{one.name}": {argument(one.name)}' for one in fields) + "}"


def method(operation, interface):
    path = "/".join(
        f"{{quote({part[1:-1]})}}" if part.startswith("{") else part for part in operation.path.split("/")
    )
    sent = [f'"{operation.method}"', f'f"{path}"' if "{" in path else f'"{path}"']
    if operation.query:
        sent.append(f"query={pairs(operation.query)}")
    if operation.body:
        sent.append(f"body={pairs(body_fields(operation, interface))}")
    sent += ["idempotency_key=idempotency_key"] if operation.can_repeat else []
    sent += ["needs_key=False"] if not operation.needs_key else []
    sent += ["is_text=True"] if operation.response == Primitive("string") else []
    text = docstring(string(operation.text), "        ")
    returns = written(operation.response, "types.")
    head = signature("def", operation.name, parameters(operation, interface), returns)
    lines = "".join(f"            {one},\n" for one in sent)
    return f"{head}{text}        answer: {returns} = self._call(\n{lines}        )\n        return answer\n"


def passed_on(operation, interface, is_paged=False):
    names = [one.name for one in operation.path_parameters]
    keywords = [one.name for one in operation.query + body_fields(operation, interface)]
    keywords = [name for name in keywords if not (is_paged and name == operation.list.by)]
    keywords += ["idempotency_key"] if operation.can_repeat else []
    return [*names, *(f"{argument(name)}={argument(name)}" for name in keywords)]


def iterator(operation, interface, keyword, kind, source):
    text = f"Yields the items of all pages of `{operation.name}`."
    returns = f"{kind}[{written(operation.list.type, 'types.')}]"
    head = signature(keyword, all_of(operation.name), parameters(operation, interface, is_paged=True), returns)
    given = passed_on(operation, interface, is_paged=True)
    lines = "".join(f"            {one},\n" for one in [
        f"{source}.{operation.name}", f'"{operation.list.field}"', f'"{operation.list.by}"', *given])
    return f"{head}{docstring(text, '        ')}        return self._pages(\n{lines}        )\n"


def module(title, imports, name, base, text, methods):
    return (
        f"{HEAD.format(title)}\n"
        "from __future__ import annotations\n\n"
        f"{imports}\n\n"
        f"class {name}({base}):\n"
        f'    """{text}"""\n\n' + "\n".join(methods)
    )


def operations(interface):
    methods = []
    for operation in interface.operations:
        methods.append(method(operation, interface))
        if operation.list:
            methods.append(iterator(operation, interface, "def", "Iterator", "self"))
    imports = (
        "from typing import Any, Dict, Iterator, List, Literal, Optional, Union\n\n"
        "from . import types\n"
        "from ._transport import NOT_GIVEN, NotGiven, Transport, quote\n"
    )
    title = "The methods of the client."
    return module(title, imports, "Operations", "Transport", "Every operation of the interface, as a method.", methods)


def async_operations(interface):
    methods = []
    for operation in interface.operations:
        returns = written(operation.response, "types.")
        head = signature("async def", operation.name, parameters(operation, interface), returns)
        given = "".join(f"            {one},\n" for one in [f"self.sync.{operation.name}", *passed_on(operation, interface)])
        text = docstring(string(operation.text), "        ")
        methods.append(f"{head}{text}        return await self._run(\n{given}        )\n")
        if operation.list:
            methods.append(iterator(operation, interface, "def", "AsyncIterator", "self.sync"))
    imports = (
        "from typing import Any, AsyncIterator, Dict, List, Literal, Optional, Union\n\n"
        "from . import types\n"
        "from ._threads import Threads\n"
        "from ._transport import NOT_GIVEN, NotGiven\n"
    )
    title = "The methods of the asynchronous client."
    text = "Every operation of the interface, as a coroutine."
    return module(title, imports, "AsyncOperations", "Threads", text, methods)

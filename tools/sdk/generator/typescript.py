"""Writes the types and methods of the TypeScript client."""

import re

from .model import Alias, Choice, Either, Many, Mapping, Named, Primitive, Record
from .names import all_of, camel, pascal

HEAD = "// Made from the description of the interface by tools/sdk/generate (`make sdk`). Changes here are lost.\n"
PRIMITIVES = {
    "string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null", "any": "unknown",
}


def files(interface):
    return {
        "sdk/typescript/src/generated/types.ts": types(interface),
        "sdk/typescript/src/generated/operations.js": operations(interface),
    }


def comment(text, indent=""):
    """A documentation comment; nothing where there is no text."""
    lines = text.replace("*/", "*\\/").splitlines()
    if not lines:
        return ""
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    return f"{indent}/**\n" + "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines) + f"{indent} */\n"


def written(kind, within=""):
    if isinstance(kind, Primitive):
        return PRIMITIVES[kind.name]
    if isinstance(kind, Named):
        return f"{within}{kind.name}"
    if isinstance(kind, Choice):
        return " | ".join(f'"{value}"' for value in kind.values)
    if isinstance(kind, Many):
        inner = written(kind.of, within)
        return f"({inner})[]" if isinstance(kind.of, (Choice, Either)) else f"{inner}[]"
    if isinstance(kind, Mapping):
        return f"{{ [name: string]: {written(kind.of, within)} }}"
    if isinstance(kind, Either):
        return " | ".join(written(part, within) for part in kind.of)
    raise SystemExit(f"no way to write {kind}")


def member(field):
    mark = "" if field.is_required else "?"
    return f"{comment(field.text, '  ')}  {field.name}{mark}: {written(field.type)};\n"


def interface_of(name, record):
    return f"{comment(record.text)}export interface {name} {{\n{''.join(member(one) for one in record.fields)}}}\n"


def types(interface):
    parts = [HEAD]
    for name, kind in interface.types.items():
        if isinstance(kind, Alias):
            parts.append(f"{comment(kind.text)}export type {name} = {written(kind.type)};\n")
        else:
            parts.append(interface_of(name, kind))
    for operation in interface.operations:
        if operation.query:
            record = Record(operation.query, f"The query of `{camel(operation.name)}`.")
            parts.append(interface_of(f"{pascal(operation.name)}Query", record))
    return "\n".join(parts)


def operations(interface):
    methods = []
    for operation in interface.operations:
        methods.append(method(operation))
        if operation.list:
            methods.append(iterator(operation))
    return (
        f"{HEAD}\n"
        '/** @import { RequestOptions } from "../transport.js" */\n'
        '/** @import * as T from "./types.js" */\n'
        'import { Transport } from "../transport.js";\n\n'
        "/** Every operation of the interface, as a method. */\n"
        "export class Operations extends Transport {\n" + "\n".join(methods) + "}\n"
    )


def arguments(operation):
    """Name, type, whether it can be left out, and text of each argument."""
    found = [(camel(one.name), written(one.type, "T."), False, one.text) for one in operation.path_parameters]
    if operation.query:
        is_optional = not any(one.is_required for one in operation.query)
        found.append(("query", f"T.{pascal(operation.name)}Query", is_optional, ""))
    if operation.body:
        found.append(("body", f"T.{operation.body}", not operation.is_body_required, ""))
    found.append(("options", "RequestOptions", True, ""))
    return found


def described(text, given, returns):
    lines = [text, "", *(
        f"@param {{{kind}}} {f'[{name}]' if is_optional else name} {' '.join(about.split())}".rstrip()
        for name, kind, is_optional, about in given
    ), f"@returns {{{returns}}}"]
    return comment("\n".join(lines), "  ")


def method(operation):
    given = arguments(operation)
    names = [name for name, *_ in given]
    path = re.sub(r"\{(\w+)\}", lambda found: f"${{encodeURIComponent({camel(found[1])})}}", operation.path)
    sent = [f'method: "{operation.method}"', f"path: `{path}`" if "${" in path else f'path: "{path}"']
    sent += [name for name in ("query", "body") if name in names]
    sent += ["needsKey: false"] if not operation.needs_key else []
    sent += ['as: "text"'] if operation.response == Primitive("string") else []
    returns = f"Promise<{written(operation.response, 'T.')}>"
    return (
        f"{described(operation.text, given, returns)}"
        f"  {camel(operation.name)}({', '.join(names)}) {{\n"
        f"    return this.request({{ {', '.join(sent)} }}, options);\n"
        "  }\n"
    )


def iterator(operation):
    given = arguments(operation)
    names = [name for name, *_ in given]
    before = ", ".join([*(name for name in names if name not in ("query", "options")), "{ ...query, ...page }", "options"])
    text = f"Yields the items of all pages of `{camel(operation.name)}`."
    returns = f"AsyncGenerator<{written(operation.list.type, 'T.')}, void, undefined>"
    return (
        f"{described(text, given, returns)}"
        f"  {camel(all_of(operation.name))}({', '.join(names)}) {{\n"
        f'    return this.pages((page) => this.{camel(operation.name)}({before}), "{operation.list.field}", '
        f'"{operation.list.by}", query);\n'
        "  }\n"
    )

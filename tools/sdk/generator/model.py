"""What the clients need to know of an OpenAPI document, in a form from which any language can be written."""

import re
from dataclasses import dataclass, field
from typing import Optional

from .names import pascal


@dataclass(frozen=True)
class Primitive:
    """`string`, `integer`, `number`, `boolean`, `null` or `any`."""

    name: str


@dataclass(frozen=True)
class Named:
    """A type that the document, or the place of an object in it, gives a name."""

    name: str


@dataclass(frozen=True)
class Choice:
    """One of these texts."""

    values: tuple


@dataclass(frozen=True)
class Many:
    """A list."""

    of: object


@dataclass(frozen=True)
class Mapping:
    """An object whose fields have any names."""

    of: object


@dataclass(frozen=True)
class Either:
    """One of these types."""

    of: tuple


NULL = Primitive("null")
ANY = Primitive("any")


@dataclass
class Field:
    """A field of an object, or a parameter."""

    name: str
    type: object
    is_required: bool
    text: str


@dataclass
class Record:
    """An object with fields."""

    fields: list
    text: str


@dataclass
class Alias:
    """Another name of a type."""

    type: object
    text: str


@dataclass
class List:
    """How a list is read page by page: the field with the elements, their type, and what says where the next page begins."""

    field: str
    type: object
    by: str


@dataclass
class Operation:
    """One operation of the interface."""

    name: str
    method: str
    path: str
    text: str
    tag: str
    needs_key: bool
    can_repeat: bool
    path_parameters: list
    query: list
    body: Optional[str]
    is_body_required: bool
    response: object
    list: Optional[List]


@dataclass
class Interface:
    """All operations in the order of their paths, and the types that they and webhooks use by name."""

    operations: list
    types: dict = field(default_factory=dict)


def without_null(kind):
    """The type of something that is left out instead of being null."""
    if not isinstance(kind, Either):
        return kind
    rest = tuple(part for part in kind.of if part != NULL)
    return rest[0] if len(rest) == 1 else Either(rest)


def alternatives(schema):
    """The texts that a pattern such as `^(day|track)$` allows, if it is one of these."""
    found = re.fullmatch(r"\^\((\w+(?:\|\w+)+)\)\$", schema.get("pattern", ""))
    return tuple(found.group(1).split("|")) if found else None


def named_after(operations):
    """Names of operations by what they name together: reading something comes first."""
    return sorted(operations, key=lambda name: (not name.startswith("read_"), operations.index(name)))[0]


def pascal_of(component, all_components):
    """`track.find.FoundRecord` is a `FoundRecord` where no other component ends like it."""
    last = component.rsplit(".", 1)[-1]
    namesakes = [name for name in all_components if name.rsplit(".", 1)[-1] == last]
    return last if len(namesakes) == 1 else pascal(component)

"""Reads an OpenAPI 3.1 document into the model.

It knows the keywords that this document has, and stops at anything else: a client must not be made from what was not understood.
"""

from .model import (
    ANY, NULL, Alias, Choice, Either, Field, Interface, List, Many, Mapping, Named, Operation, Primitive, Record,
    alternatives, named_after, pascal_of, without_null,
)
from .names import pascal

# Their URLs are signed, and made by the service: the clients have functions of their own for them.
LEFT_OUT_TAGS = {"Upload URLs"}
METHODS = ("get", "put", "post", "patch", "delete")
PREFIX = "#/components/schemas/"
# What is sent to webhooks, whichever event it is.
EVENT = "WebhookEvent"


class Reader:
    def __init__(self, document):
        self.document = document
        self.schemas = document["components"]["schemas"]
        self.interface = Interface(operations=[])
        self.names = {}

    def read(self):
        operations = [
            (path, method, item[method])
            for path, item in self.document["paths"].items()
            for method in METHODS
            if method in item and LEFT_OUT_TAGS.isdisjoint(item[method]["tags"])
        ]
        self.name_bodies_and_responses(operations)
        for path, method, operation in operations:
            read = self.operation(path, method, operation)
            if read is not None:
                self.interface.operations.append(read)
        self.events()
        names = [operation.name for operation in self.interface.operations]
        if len(set(names)) != len(names):
            raise SystemExit("two operations have the same name")
        return self.interface

    def events(self):
        """The events that webhooks are sent, as one type. They are told apart by their field `event`."""
        bodies = [json_schema(item["post"].get("requestBody")) for item in self.document.get("webhooks", {}).values()]
        if not all("$ref" in body for body in bodies):
            raise SystemExit("an event of a webhook has no schema")
        kinds = [self.type(body, "") for body in bodies]
        for kind in kinds:
            told = [one for one in self.interface.types[kind.name].fields if one.name == "event" and isinstance(one.type, Choice)]
            if not told:
                raise SystemExit(f"{kind.name} does not say which event it is")
        if kinds:
            text = "What is sent to webhooks. Fields, and events, may be added."
            self.interface.types[EVENT] = Alias(either(kinds), text)

    def name_bodies_and_responses(self, operations):
        """What an operation sends and gets is called after it: the names of the document are those of files of the service."""
        users = {}
        for _, _, operation in operations:
            name = operation["operationId"]
            body = json_schema(operation.get("requestBody")).get("$ref")
            answer = json_schema(operation["responses"].get("200")).get("$ref")
            for reference, role in ((body, "Body"), (answer, "Response")):
                if reference:
                    users.setdefault(reference[len(PREFIX):], []).append((name, role))
        for component, by in users.items():
            self.names[component] = pascal(named_after([name for name, _ in by])) + by[0][1]

    def operation(self, path, method, operation):
        answers = operation["responses"].get("200", {}).get("content", {})
        if "application/json" in answers:
            response = self.type(answers["application/json"]["schema"], "")
        elif any(kind.startswith("text/") for kind in answers):
            response = Primitive("string")
        else:
            # A redirect, which is for players to follow.
            return None
        name = operation["operationId"]
        parameters = operation.get("parameters", [])
        headers = {one["name"] for one in parameters if one["in"] == "header"}
        if headers - {"Idempotency-Key"}:
            raise SystemExit(f"{name} has headers that no client sends: {headers}")
        body = operation.get("requestBody")
        query = [self.parameter(one) for one in parameters if one["in"] == "query"]
        return Operation(
            name=name,
            method=method.upper(),
            path=path,
            text=text_of(operation),
            tag=operation["tags"][0],
            needs_key=bool(operation.get("security")),
            can_repeat="Idempotency-Key" in headers,
            path_parameters=[self.parameter(one) for one in parameters if one["in"] == "path"],
            query=query,
            body=self.type(json_schema(body), "").name if body else None,
            is_body_required=bool(body and body.get("required")),
            response=response,
            list=self.list(query, response),
        )

    def parameter(self, parameter):
        kind = without_null(self.type(parameter["schema"], pascal(parameter["name"])))
        is_required = bool(parameter.get("required"))
        return Field(parameter["name"], kind, is_required, parameter.get("description", ""))

    def list(self, query, response):
        names = {one.name for one in query}
        by = next((name for name in ("cursor", "offset") if name in names), None)
        record = self.interface.types.get(getattr(response, "name", None))
        if by is None or not isinstance(record, Record):
            return None
        lists = [one for one in record.fields if isinstance(one.type, Many)]
        if len(lists) != 1:
            raise SystemExit(f"which field of {response.name} is the list?")
        return List(lists[0].name, lists[0].type.of, by)

    def type(self, schema, place):
        """The type of a schema. `place` is what an object that stands there is called."""
        if "$ref" in schema:
            return self.named(schema["$ref"][len(PREFIX):])
        if "allOf" in schema or "properties" in schema:
            return self.define(place, lambda: self.record(schema, place))
        for keyword in ("oneOf", "anyOf"):
            if keyword in schema:
                return either(self.type(part, place) for part in schema[keyword])
        if "enum" in schema or alternatives(schema):
            return Choice(tuple(schema.get("enum") or alternatives(schema)))
        kind = schema.get("type")
        if isinstance(kind, list):
            return either(self.type({**schema, "type": one}, place) for one in kind)
        if kind == "array":
            return Many(self.type(schema.get("items", {}), f"{place}Item"))
        if kind == "object":
            inner = schema.get("additionalProperties")
            return Mapping(self.type(inner, f"{place}Value") if isinstance(inner, dict) else ANY)
        if kind is None:
            return ANY
        if kind not in ("string", "integer", "number", "boolean", "null"):
            raise SystemExit(f"{place} is of an unknown type: {kind}")
        return Primitive(kind)

    def named(self, component):
        name = self.names.get(component) or pascal_of(component, self.schemas)
        schema = self.schemas[component]
        text = schema.get("description", "")

        def made():
            if "allOf" in schema or "properties" in schema:
                return self.record(schema, name)
            return Alias(self.type(schema, name), text)

        return self.define(name, made)

    def define(self, name, made):
        if not name:
            raise SystemExit("an object without a name")
        if name not in self.interface.types:
            # Types can contain themselves.
            self.interface.types[name] = None
            self.interface.types[name] = made()
        return Named(name)

    def record(self, schema, name):
        fields = {}
        required = set()
        self.collect(schema, name, fields, required)
        for one in fields.values():
            one.is_required = one.name in required
        return Record(list(fields.values()), schema.get("description", ""))

    def collect(self, schema, name, fields, required):
        """The fields of all parts. What parts under `anyOf` require depends on values, which types cannot say."""
        if "$ref" in schema:
            return self.collect(self.schemas[schema["$ref"][len(PREFIX):]], name, fields, required)
        for part in schema.get("allOf", []):
            self.collect(part, name, fields, required)
        required.update(schema.get("required", []))
        for field, kind in schema.get("properties", {}).items():
            text = kind.get("description") or next(
                (part["description"] for part in kind.get("oneOf", []) if "description" in part), ""
            )
            fields[field] = Field(field, self.type(kind, name + pascal(field)), False, text)
        return None


def either(parts):
    flat = []
    for part in parts:
        for one in part.of if isinstance(part, Either) else (part,):
            if one not in flat:
                flat.append(one)
    flat.sort(key=lambda one: one == NULL)
    return flat[0] if len(flat) == 1 else Either(tuple(flat))


def json_schema(content):
    return (content or {}).get("content", {}).get("application/json", {}).get("schema", {})


def text_of(operation):
    parts = [operation.get("summary", ""), operation.get("description", "")]
    return "\n\n".join(part.strip() for part in parts if part)

"""Writes a collection of requests that Postman and Bruno import."""

import json
import uuid

NAMESPACE = uuid.UUID("6f0bb7fc-6f42-5c3e-9a1e-3d1c0a6a7f54")
SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
METHODS = ("get", "head", "put", "post", "patch", "delete")


def files(document):
    return {"sdk/postman/tonearm.postman_collection.json": json.dumps(collection(document), indent=2, ensure_ascii=False) + "\n"}


def collection(document):
    info = document["info"]
    folders = [folder(document, tag["name"]) for tag in document["tags"]]
    operations = sum(method in METHODS for item in document["paths"].values() for method in item)
    if sum(len(one["item"]) for one in folders) != operations:
        raise SystemExit("some operations have a tag that the document does not list")
    return {
        "info": {
            "_postman_id": str(uuid.uuid5(NAMESPACE, info["title"])),
            "name": info["title"],
            "description": f"{info['description']}\n\nSet the variables `baseUrl` and `apiKey` of the collection.",
            "schema": SCHEMA,
        },
        "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{apiKey}}", "type": "string"}]},
        "variable": [
            {"key": "baseUrl", "value": "http://127.0.0.1:8080"},
            {"key": "apiKey", "value": ""},
        ],
        "item": folders,
    }


def folder(document, tag):
    requests = [
        request(document, path, method, item[method])
        for path, item in document["paths"].items()
        for method in METHODS
        if method in item and item[method]["tags"][0] == tag
    ]
    return {"name": tag, "item": requests}


def request(document, path, method, operation):
    parameters = operation.get("parameters", [])
    made = {
        "method": method.upper(),
        "header": headers(operation, parameters),
        "url": url(path, operation, parameters),
        "description": "\n\n".join(
            operation[part] for part in ("summary", "description") if operation.get(part)
        ),
    }
    if not any("api_key" in one for one in operation.get("security", [])):
        made["auth"] = {"type": "noauth"}
    sent = body(document, operation)
    if sent:
        made["body"] = sent
    name = operation["operationId"].replace("_", " ")
    return {"name": name[0].upper() + name[1:], "request": made, "response": []}


def headers(operation, parameters):
    found = [
        entry(one, "1.0.0" if one["name"] == "Tus-Resumable" else "") for one in parameters if one["in"] == "header"
    ]
    kinds = list(operation.get("requestBody", {}).get("content", {}))
    if kinds:
        found.insert(0, {"key": "Content-Type", "value": kinds[0]})
    return found


def entry(parameter, value):
    made = {"key": parameter["name"], "value": value, "description": parameter.get("description", "")}
    if not parameter.get("required"):
        made["disabled"] = True
    return made


def url(path, operation, parameters):
    parts = [f":{part[1:-1]}" if part.startswith("{") else part for part in path.strip("/").split("/")]
    query = [entry(one, "") for one in parameters if one["in"] == "query"]
    if any("upload_signature" in one for one in operation.get("security", [])):
        query.append({"key": "verify", "value": "", "description": "The signature of the upload URL."})
    shown = "&".join(f"{one['key']}=" for one in query if not one.get("disabled"))
    made = {
        "raw": "{{baseUrl}}/" + "/".join(parts) + (f"?{shown}" if shown else ""),
        "host": ["{{baseUrl}}"],
        "path": parts,
    }
    if query:
        made["query"] = query
    variables = [one for one in parameters if one["in"] == "path"]
    if variables:
        made["variable"] = [
            {"key": one["name"], "value": "", "description": one.get("description", "")} for one in variables
        ]
    return made


def body(document, operation):
    content = operation.get("requestBody", {}).get("content", {})
    if not content:
        return None
    kind, described = next(iter(content.items()))
    if kind != "application/json":
        return {"mode": "file", "file": {}}
    example = described.get("example")
    if example is None:
        example = {name: sample(document, schema) for name, schema in required_fields(document, described["schema"])}
    raw = json.dumps(example, indent=2, ensure_ascii=False)
    return {"mode": "raw", "raw": raw, "options": {"raw": {"language": "json"}}}


def resolved(document, schema):
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
    return schema


def required_fields(document, schema):
    schema = resolved(document, schema)
    parts = [resolved(document, part) for part in [schema, *schema.get("allOf", [])]]
    required = {name for part in parts for name in part.get("required", [])}
    return [(name, kind) for part in parts for name, kind in part.get("properties", {}).items() if name in required]


def sample(document, schema):
    """A value that shows what kind of value belongs there."""
    schema = resolved(document, schema)
    if "example" in schema:
        return schema["example"]
    if "enum" in schema:
        return schema["enum"][0]
    return {"array": [], "object": {}, "boolean": False, "integer": schema.get("minimum", 0), "number": 0}.get(
        schema.get("type"), ""
    )

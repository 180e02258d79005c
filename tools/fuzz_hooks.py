"""Hooks of schemathesis, for tools/fuzz-api."""

import schemathesis

# A piece of an upload is bytes like any others.
schemathesis.serializer.alias("application/partial-upload", "application/octet-stream")


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Takes out of the description what cannot be made up.

    `Idempotency-Key`: a key that comes twice, for two requests, is refused on purpose. Uploads by tus: their headers depend on each
    other, and their statuses are those of tus.
    """
    paths = raw_schema.get("paths", {})
    for path in [path for path in paths if path.startswith("/upload/tus")]:
        del paths[path]
    for item in raw_schema.get("paths", {}).values():
        for operation in item.values():
            parameters = operation.get("parameters") if isinstance(operation, dict) else None
            if parameters:
                operation["parameters"] = [one for one in parameters if one.get("name") != "Idempotency-Key"]

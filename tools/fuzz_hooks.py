"""Hooks of schemathesis, for tools/fuzz-api."""

import schemathesis


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Takes out of the description what cannot be made up.

    `Idempotency-Key`: a key that comes twice, for two requests, is refused on purpose. Uploads by tus and pieces of uploads: their
    headers depend on each other, their statuses are those of tus, and schemathesis cannot write their media types.
    """
    paths = raw_schema.get("paths", {})
    for path in [path for path in paths if path.startswith("/upload/tus")]:
        del paths[path]
    for item in paths.values():
        item.pop("patch", None)
    for item in raw_schema.get("paths", {}).values():
        for operation in item.values():
            parameters = operation.get("parameters") if isinstance(operation, dict) else None
            if parameters:
                operation["parameters"] = [one for one in parameters if one.get("name") != "Idempotency-Key"]

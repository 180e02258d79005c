"""Hooks of schemathesis, for tools/fuzz-api."""

import schemathesis


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Takes `Idempotency-Key` out of the description: a key that is made up twice, for two requests, is refused on purpose."""
    for item in raw_schema.get("paths", {}).values():
        for operation in item.values():
            parameters = operation.get("parameters") if isinstance(operation, dict) else None
            if parameters:
                operation["parameters"] = [one for one in parameters if one.get("name") != "Idempotency-Key"]

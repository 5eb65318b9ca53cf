"""Resolve a pointer with jsonpointer; the suite explains requests and answers."""

import json
import sys

import jsonpointer

request = json.load(sys.stdin)
try:
    value = jsonpointer.resolve_pointer(request["document"], request["pointer"])
    # The library returns a marker for the element after the last, which does not exist.
    answer = {"error": True} if isinstance(value, jsonpointer.EndOfList) else {"value": value}
except jsonpointer.JsonPointerException:
    answer = {"error": True}
print(json.dumps(answer))

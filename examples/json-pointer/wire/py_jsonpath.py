"""Resolve a pointer with python-jsonpath; the suite explains requests and answers."""

import json
import sys

import jsonpath

request = json.load(sys.stdin)
try:
    value = jsonpath.pointer.resolve(request["pointer"], request["document"], unicode_escape=False)
    answer = {"value": value}
except jsonpath.JSONPointerError:
    answer = {"error": True}
print(json.dumps(answer))

import json
import os
import sys
from pathlib import Path

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

REMOTES = Path(os.environ["XTEST_SUITE"], "remotes")


def retrieve(uri: str) -> Resource:
    path = REMOTES / uri.removeprefix("http://localhost:1234/")
    return DRAFT202012.create_resource(json.loads(path.read_text(encoding="utf-8")))


request = json.load(sys.stdin)
validator = Draft202012Validator(request["schema"], registry=Registry(retrieve=retrieve))
print(json.dumps([validator.is_valid(each) for each in request["instances"]]))

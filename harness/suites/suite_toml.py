"""Declare the keys of suite.toml. Source: docs/suites.md.

To add a key, add a field to its record in settings.py and a `Key` here. Its reader, default,
messages and fingerprint follow; `pytest tests/project --update-golden` writes
schemas/suite.schema.json and the table in docs/reference/keys.md.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from harness.judging import comparison_parser
from harness.judging.rules import tolerance_conflict
from harness.model.case import Companion, CompanionRole
from harness.model.case_names import CONFIG_FILE
from harness.model.comparison import ArrayOrder, Comparison, PlaceRule
from harness.model.dialogue import Answer, TalkRules, Transport
from harness.model.limits import Limits
from harness.suites import value_types as types
from harness.suites.settings import (
    Assertions,
    CaseRule,
    Entries,
    Grading,
    KnownRule,
    Render,
    SandboxRules,
    SuiteSettings,
)
from harness.tomlio.tables import (
    BOOLEAN,
    NON_NEGATIVE_NUMBER,
    POSITIVE_INTEGER,
    POSITIVE_NUMBER,
    STRING,
    STRINGS,
    Key,
    TableForm,
    TableSchema,
    choice,
    inherited_part,
)


def _check_place_rule(rule: PlaceRule) -> str:
    if rule._replace(when=()) == PlaceRule(rule.paths):
        rules = ", ".join(key.name for key in _AT.keys if key.name not in ("path", "when"))
        return f"sets nothing for its path; set one of {rules}"
    if rule.order is ArrayOrder.LIST and rule.key is not None:
        return 'key has no effect with order = "list"; use "set" or "multiset"'
    return ""


def set_entries(**entries: Any) -> Entries:
    """Return the keys of a table that are set, and their values."""
    return tuple(entries.items())


# No outcome depends on the value of such a key.
_neutral_key: Final = partial(Key, affects_outcome=False)
# The value of such a key may be the name of a file.
_file_key: Final = partial(Key, move=types.move_file)

_AT: Final = TableSchema(
    "at",
    PlaceRule,
    "Rules for some places. The last rule for a place decides.",
    keys=(
        Key("path", types.POINTER_OR_POINTERS, "The places.", required=True, field="paths"),
        Key("numbers", comparison_parser.NUMBERS, "As in `[compare]`."),
        Key("strings", comparison_parser.STRINGS, "As in `[compare]`."),
        Key(
            "order",
            comparison_parser.ORDER,
            "How an array is compared: in order, as a set or as a multiset.",
        ),
        Key(
            "key",
            comparison_parser.MEMBER_NAME,
            "The member that pairs the elements of a set or multiset.",
        ),
        _file_key(
            "schema",
            comparison_parser.SCHEMA,
            "A JSON Schema, or its file: two values that match it are equal.",
        ),
        Key("ignore", BOOLEAN, "The values may differ, or be missing."),
        Key("extra", BOOLEAN, "An object may have members that are not expected."),
        Key(
            "keys",
            comparison_parser.KEYS,
            "Keys of an object that do not count: their values are compared in any order.",
        ),
        Key(
            "when",
            comparison_parser.CONDITIONS,
            "The rules apply only where other members of the same object have these values.",
        ),
    ),
    form=TableForm.ARRAY,
    check=_check_place_rule,
    constraints={
        "minProperties": 2,
        "if": {"required": ["when"]},
        "then": {"minProperties": 3},
        "not": {"properties": {"order": {"const": "list"}}, "required": ["order", "key"]},
    },
)
_COMPARE_KEYS: Final = (
    Key("numbers", comparison_parser.NUMBERS, 'How numbers compare: with "value", 1 equals 1.0.'),
    Key("unordered", types.POINTERS, "Arrays whose order does not matter."),
    Key("ignore", types.POINTERS, "Values that may differ, or be missing."),
    Key(
        "strings",
        comparison_parser.STRINGS,
        "How strings compare: as text, in a normal form, as numbers or datetimes, or by a pattern.",
    ),
    Key("allow", comparison_parser.ALLOW, "Extensions of JSON that outputs may use."),
    Key(
        "bytes",
        BOOLEAN,
        "The output must also be the expected text, byte for byte, but for its last line end.",
    ),
    _AT,
)
_EACH: Final = Key(
    "each",
    types.ONE_STEP_POINTER,
    'The places, such as `"/answers/*"` for the elements of an array in a member.',
    required=True,
)
_RENDER: Final = TableSchema(
    "render",
    Render,
    "A program that draws a JSON value as SVG, for reports.",
    keys=(
        Key(
            "command",
            types.COMMAND,
            "The command, run in the suite's folder.",
            required=True,
            move=types.move_command,
        ),
        Key("draws", types.SIDES, "The values that it draws; the output if not set."),
    ),
    affects_outcome=False,
)
_GRADING: Final = TableSchema(
    "grading",
    Grading,
    "The points of the suite in a course.",
    keys=(
        Key("points", NON_NEGATIVE_NUMBER, "Points of the whole suite; 1 per case if not set."),
        Key("visibility", types.VISIBILITY, "When students see the cases."),
    ),
    affects_outcome=False,
)
LINE_KEYS: Final = (
    _neutral_key("title", STRING, "A one-line title; `--case '~WORDS'` searches it."),
    _neutral_key("description", STRING, "A description for reports."),
    _neutral_key("link", STRING, "A link, for example to the specification."),
    _neutral_key("group", STRING, "A heading for the cases in reports."),
    _neutral_key("hint", STRING, "Advice that is shown where a case fails, to students too."),
    Key("tags", STRINGS, "Words for `--tag`, which selects cases."),
    Key(
        "any",
        BOOLEAN,
        "The expected output lists several correct outputs, each as an array of its values.",
    ),
    Key(
        "files",
        types.FILES,
        "Other files that the cases need, like `files` of the suite.",
        inherited=False,
    ),
)
_MATCH_HINT: Final = "the key that selects cases by name is match"
_CASES: Final = TableSchema(
    "cases",
    CaseRule,
    "Settings of some cases. The last table that sets a key decides it.",
    keys=(
        Key("match", types.MATCH, "The cases.", required=True),
        Key("exit", types.EXIT, "The expected exit status."),
        Key("checker", types.COMMAND, "Their checker.", inherited=False),
        Key("bare", BOOLEAN, "Their scripts stand alone, without `[talk]` start and end."),
        Key("input", types.INPUT_KIND, "Valid JSON, JSON that violates the schema, or any bytes."),
        *LINE_KEYS,
        _neutral_key("points", NON_NEGATIVE_NUMBER, "Points of each case."),
        _neutral_key("visibility", types.VISIBILITY, "When students see them."),
        _neutral_key(
            "all_or_nothing", BOOLEAN, "They score points only if all cases of this table pass."
        ),
        _neutral_key("known", types.KNOWN, "Their failures are known, as in `[[known]]`."),
        TableSchema(
            "limits",
            set_entries,
            "`[limits]` of these cases; each key overrides the suite's.",
            types.LIMIT_KEYS,
        ),
        TableSchema(
            "compare",
            set_entries,
            "`[compare]` of these cases; each key overrides the suite's, but `at` adds to its"
            " rules.",
            _COMPARE_KEYS,
        ),
    ),
    form=TableForm.ARRAY,
    field="rules",
    hints={
        "name": _MATCH_HINT,
        "hidden": 'write visibility = "hidden"',
    },
)
_TALK: Final = TableSchema(
    "talk",
    TalkRules,
    "What all dialogues of the suite have in common.",
    keys=(
        Key("framing", types.FRAMING, "How messages follow each other."),
        Key(
            "transport",
            types.TRANSPORT,
            "What carries them: standard input and output, or a TCP connection, for which xtest"
            " connects to the program, or listens.",
        ),
        Key(
            "within",
            POSITIVE_NUMBER,
            "Seconds for each expectation; if not set, only the limit of the run counts.",
            field="within_s",
        ),
        Key(
            "ends",
            BOOLEAN,
            "Whether the program must end when the script is over and its input closed; if not set,"
            ' it must unless `transport = "connect"`.',
        ),
        Key(
            "ignore",
            types.MESSAGES,
            "Partial messages: those that match one are skipped, unless the step expects them.",
        ),
        Key("start", types.START_STEPS, "Steps before each script, such as a handshake."),
        Key("end", types.END_STEPS, "Steps after each script, such as a shutdown."),
        TableSchema(
            "answer",
            Answer,
            "Requests of the program that are answered at once, with their own id.",
            keys=(
                Key("when", types.MESSAGE, "A partial message that they match.", required=True),
                Key("result", types.JSON_VALUE, "The result."),
                Key("error", types.MESSAGE, "An error, in place of a result."),
            ),
            form=TableForm.ARRAY,
            field="answers",
        ),
    ),
)
_SERVER: Final = {"properties": {"role": {"const": "server"}}, "required": ["role"]}
_COMPANIONS: Final = TableSchema(
    "companions",
    Companion,
    "Programs beside the judged one.",
    keys=(
        Key(
            "command",
            types.COMMAND,
            "The command, run in the suite's folder, with `{port}`, `{index}` (1 to `count`), and"
            " `{folder}`, that of the program.",
            required=True,
        ),
        Key("name", STRING, "Its name in messages."),
        Key(
            "role",
            choice(CompanionRole),
            "Its side of the connection.",
        ),
        Key("count", POSITIVE_INTEGER, "How many run.", field="copies"),
        Key(
            "input",
            BOOLEAN,
            "Whether it reads the input of the case, too.",
            field="reads_input",
        ),
        Key("exit", types.EXIT, "How it may end by itself."),
    ),
    form=TableForm.ARRAY,
    check=lambda companion: (
        "count: only one server can listen on the port"
        if companion.role is CompanionRole.SERVER and companion.copies > 1
        else ""
    ),
    constraints={"if": _SERVER, "then": {"properties": {"count": {"const": 1}}}},
    inherited=False,
)


def _has_transport(name: str) -> dict[str, Any]:
    talk = {"properties": {"transport": {"const": name}}, "required": ["transport"]}
    return {"properties": {"talk": talk}, "required": ["talk"]}


_HAS_SERVER: Final = {
    "properties": {"companions": {"contains": _SERVER}},
    "required": ["companions"],
}
_COMPANION_RULES: Final = {
    "allOf": [
        {"properties": {"companions": {"contains": _SERVER, "minContains": 0, "maxContains": 1}}},
        {"if": _has_transport("listen"), "then": {"properties": {"companions": False}}},
        {"if": _has_transport("connect"), "then": {"not": _HAS_SERVER}},
    ],
}


def _check_companions(settings: SuiteSettings) -> str:
    servers = [each for each in settings.companions if each.role is CompanionRole.SERVER]
    if len(servers) > 1:
        return "companions: at most one is the server, because only one can listen on the port"
    transport = settings.talk.transport
    if settings.companions and transport is Transport.LISTEN:
        return 'companions: with transport = "listen", xtest is the only one that listens'
    if servers and transport is Transport.CONNECT:
        return 'companions: with transport = "connect", the program is the server'
    return ""


_KNOWN: Final = TableSchema(
    "known",
    KnownRule,
    "Known failures: reported, but not counted. A listed run that passes is a failure.",
    keys=(
        Key("match", types.MATCH, "The cases, as in `[[cases]]`.", required=True),
        Key("reason", types.REASON, "Why they fail.", required=True),
        Key("link", STRING, "An issue, for example."),
        Key("subject", types.SUBJECT, "The name or command of the subject."),
        Key("verdicts", types.VERDICTS, "The expected verdicts; any failure if not set."),
        Key("deliveries", types.DELIVERY_LIST, "The deliveries; any if not set."),
        Key("tests", types.POINTERS, "The places of the tests that fail; any if not set."),
    ),
    form=TableForm.ARRAY,
    affects_outcome=False,  # the verdict is the same, and each event is annotated anew
    hints={"name": _MATCH_HINT},
)
SUITE_TOML: Final = TableSchema(
    "",
    SuiteSettings,
    "The settings of a suite, as the JSON value of its TOML. Every part is optional.",
    keys=(
        _neutral_key(
            "name", types.NAME, "The name of the suite; if not set, its path.", inherited=False
        ),
        _neutral_key("title", STRING, "One line for lists and reports.", inherited=False),
        _neutral_key(
            "program", types.PROGRAM, "The program to run if the command line names none."
        ),
        _file_key("input", types.SCHEMA_FILE, "JSON Schema of the array of all input values."),
        _file_key("output", types.SCHEMA_FILE, "JSON Schema of the array of all expected values."),
        Key("exit", types.EXIT, "The expected exit status."),
        _neutral_key(
            "deliveries",
            types.DELIVERY_LIST,
            "The deliveries that `--deliver all` runs besides `plain`; all if not set.",
        ),
        Key(
            "conversation",
            BOOLEAN,
            "The program answers each value before it reads the next, as the delivery"
            " `value-by-value` requires.",
        ),
        _neutral_key(
            "stateless",
            BOOLEAN,
            "Each answer depends only on its own input values, so one process can read the inputs"
            ' of several cases in a row (`session = "stream"` in xtest.toml).',
        ),
        Key(
            "checker",
            types.COMMAND,
            "A command, run in the suite's folder, that says whether printed values are right, in"
            " place of `[compare]`.",
            inherited=False,
        ),
        Key(
            "files",
            types.FILES,
            "Other files in the suite's folder that programs may read, even in a sandbox; the"
            " variable `XTEST_SUITE` names the folder.",
            inherited=False,
        ),
        TableSchema("limits", Limits, "The limits of one run.", types.LIMIT_KEYS),
        TableSchema(
            "compare",
            Comparison,
            "The rules for comparing two streams.",
            _COMPARE_KEYS,
            field="comparison",
            check=tolerance_conflict,
        ),
        TableSchema(
            "assertions",
            Assertions,
            "Values of the expected outputs that count as one test each.",
            (_EACH,),
        ),
        _TALK,
        _RENDER,
        TableSchema(
            "sandbox",
            SandboxRules,
            "Requirements for every run.",
            (
                Key(
                    "require",
                    types.PROTECTIONS,
                    "Protections without which the suite does not run.",
                ),
            ),
            affects_outcome=False,
        ),
        _GRADING,
        _COMPANIONS,
        _CASES,
        _KNOWN,
    ),
    check=_check_companions,
    constraints=_COMPANION_RULES,
    hints={"defaults": f"it belongs in {CONFIG_FILE}; a suite.toml applies to all suites below it"},
)
DEFAULTS: Final = inherited_part(SUITE_TOML)._replace(
    name="defaults",
    description="Settings of all suites below this file, with the keys of suite.toml.",
    check=None,
    constraints={},
)

// Faults of input, and the forms that all our programs ask for: integers, choices, arrays of a length.
//
// What a fault is, which value it points at, and how it is printed: docs/games/index.md. No game and no input or output here.

import { Numeral } from "./json.mjs";

/** Input that cannot be accepted: `kind` and `at` are the contract, the message is for a person. */
export class Fault extends Error {
    constructor(kind, at, message) {
        super(message);
        this.kind = kind;
        this.at = at;
    }
}

/** A value at `at` that is not what belongs there. */
export function unexpected(expected, at, value) {
    return new Fault("invalid-spec", at, `${expected} expected at ${at}, found ${shown(value)}`);
}

/** A pointer to a member or an element of what `at` points to (RFC 6901). */
export function below(at, part) {
    return `${at}/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The value of a numeral that is written as an integer from 0 to `most`; otherwise a Fault. */
export function integer(value, most, name, at) {
    const written = value instanceof Numeral && /^(0|[1-9][0-9]*)$/.test(value.text);
    // However many digits there are: a long one becomes a large number, or Infinity, and is out of range.
    if (!written || Number(value.text) > most) {
        throw unexpected(`${name} (an integer from 0 to ${most})${spelling(value)}`, at, value);
    }
    return Number(value.text);
}

/** How a number must be written, where that may be what is wrong. */
function spelling(value) {
    const text = value instanceof Numeral ? value.text : "";
    if (/[.eE]/.test(text)) return ", written without fraction or exponent,";
    return text === "-0" ? ", written without a minus sign," : "";
}

/** The value, where it is one of the choices, which are strings; otherwise a Fault. */
export function choice(value, choices, name, at) {
    if (!choices.includes(value)) {
        throw unexpected(`${name} (${choices.map((one) => JSON.stringify(one)).join(", ")})`, at, value);
    }
    return value;
}

/** The value, where it is an array of one of these lengths, of any where none is given; otherwise a Fault. */
export function array(value, lengths, name, at) {
    if (!Array.isArray(value) || (lengths.length > 0 && !lengths.includes(value.length))) {
        throw unexpected(name, at, value);
    }
    return value;
}

/** A value as a message shows it: as JSON, and cut. */
function shown(value) {
    const text = compact(value, 3);
    return text.length <= 60 ? text : `${text.slice(0, 57)}...`;
}

/** A value as JSON, without its parts from this depth on, and of an array or object the first four. */
function compact(value, depth) {
    if (value instanceof Numeral) return value.text;
    if (Array.isArray(value)) return `[${parts(value, depth, (part) => compact(part, depth - 1))}]`;
    if (value instanceof Map) {
        return `{${parts([...value], depth, ([key, part]) => `${JSON.stringify(key)}:${compact(part, depth - 1)}`)}}`;
    }
    return JSON.stringify(value);
}

function parts(values, depth, text) {
    if (values.length === 0) return "";
    if (depth === 0) return "...";
    const some = values.slice(0, 4).map(text);
    return values.length > 4 ? `${some},...` : some.join();
}

// The three kinds of programs: standard input to values, answers to standard output, and the exit status.
//
// All input and output is here, and nothing else. Kinds, error objects and statuses: docs/games/index.md.

import { basename } from "node:path";

import { Fault } from "./form.mjs";
import { MAX_DEPTH, Malformed, Reader } from "./json.mjs";
import { inSession, serveSession } from "./session.mjs";

const implementation = basename(process.argv[1], ".mjs");

const STATUS = { accepted: 0, refused: 1, ours: 2, interrupted: 130, unread: 141 };

/** A query program: `answer(value, at)` is printed as soon as the value has come; the first Fault ends it. */
export function queryProgram(expected, answer) {
    return run(async function* (values) {
        let count = 0;
        for await (const value of values) {
            yield answer(value, `/${count}`);
            count += 1;
        }
        if (count === 0) throw incomplete(expected);
    });
}

/** A request program: as a query program, but a Fault is the answer of its request, and no requests will do. */
export function requestProgram(answer) {
    return run(async function* (values) {
        let count = 0;
        for await (const value of values) {
            yield answerOrFault(answer, value, `/${count}`);
            count += 1;
        }
    });
}

/** A whole-input program: `answer(values)` is printed when all have come, of which there has to be one. */
export function wholeInputProgram(expected, answer) {
    return run(async function* (values) {
        const all = await collected(values);
        if (all.length === 0) throw incomplete(expected);
        yield answer(all);
    });
}

/** Runs a program whose answers to the values of one case `answers(values)` yields. */
async function run(answers) {
    process.on("SIGINT", () => process.exit(STATUS.interrupted));
    process.stdout.on("error", unwritable);
    if (process.argv.length > 2) return fail(`no arguments expected, found ${process.argv.slice(2).join(" ")}`);
    try {
        if (inSession) await serveSession((values) => collected(answers(values)), { implementation, parse: parseRequest });
        else for await (const value of answers(valuesRead())) await print(value);
    } catch (error) {
        if (!(error instanceof Fault || error instanceof Malformed)) return fail(error.stack);
        await print(errorObject(error));
        process.exit(STATUS.refused);
    }
}

async function collected(values) {
    const all = [];
    for await (const value of values) all.push(value);
    return all;
}

/** A request of a session, whose values are at the depth of 2. */
function parseRequest(line) {
    const [request] = new Reader(MAX_DEPTH + 2).values(Buffer.from(line));
    return { id: request.get("id").text, in: request.get("in") };
}

/** The values of standard input, each as soon as it is complete. */
async function* valuesRead() {
    const reader = new Reader();
    for await (const chunk of process.stdin) yield* reader.values(chunk);
    yield* reader.end();
}

/** One line, given to whoever reads before anything else is done. */
function print(value) {
    return new Promise((resolve) => {
        process.stdout.write(`${JSON.stringify(value)}\n`, (error) => {
            if (!error) resolve(); // else `unwritable` hears of it
        });
    });
}

function answerOrFault(answer, value, at) {
    try {
        return answer(value, at);
    } catch (error) {
        if (error instanceof Fault) return errorObject(error);
        throw error;
    }
}

function errorObject(error) {
    const [kind, at] = error instanceof Malformed ? ["malformed-json", { byte: error.byte }] : [error.kind, error.at];
    return { error: { kind, at, message: error.message } };
}

function incomplete(expected) {
    return new Fault("incomplete-input", "/0", `${expected} expected at /0, but the input ends there`);
}

function unwritable(error) {
    if (error.code === "EPIPE") process.exit(STATUS.unread);
    fail(error.stack);
}

function fail(message) {
    process.stderr.write(`${message}\n`, () => process.exit(STATUS.ours));
}

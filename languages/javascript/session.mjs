// Serves a function of JSON values as a program and as a session of xtest.
//
//     import { serve } from "./session.mjs";
//
//     serve((values) => [values.length], { implementation: "counts", version: "1.2" });
//
// Started as usual, the program reads all values of standard input and prints the answer, one value a line. With
// XTEST_SESSION=protocol it answers one request after the other; the project's docs/sessions.md describes
// them. Copy this file beside your program: Node.js 18 or newer.

/** Thrown by an answer function that does not support its input; the message says why. */
export class Skipped extends Error {}

export const inSession = process.env.XTEST_SESSION === "protocol";

/**
 * Answers all cases that come on standard input.
 *
 * `answer(values)` returns the values to print for all values of one case, or a promise of them. `parse(text)` and
 * `stringify(value)` replace those of JSON, for example to keep long numbers as they were written.
 */
export async function serve(answer, { implementation, version = "", parse = JSON.parse, stringify = JSON.stringify }) {
    if (inSession) return serveSession(answer, { implementation, version, parse, stringify });
    let text = "";
    for await (const chunk of process.stdin.setEncoding("utf8")) text += chunk;
    try {
        for (const value of await answer([...valueTexts(text)].map((each) => parse(each)))) {
            console.log(stringify(value));
        }
    } catch (error) {
        if (!(error instanceof Skipped)) throw error;
        console.error(`skipped: ${error.message}`);
        process.exitCode = 1;
    }
}

/** Answers the requests of a session; `parse(line)` returns an object with the members `id` and `in`. */
export async function serveSession(
    answer,
    { implementation, version = "", parse = JSON.parse, stringify = JSON.stringify },
) {
    const write = process.stdout.write.bind(process.stdout);
    let printed = "";
    process.stdout.write = (text) => {
        printed += text;
        return true;
    };
    // What is printed after the last response would be missing, so the session must fail.
    process.once("exit", () => {
        if (printed !== "") process.exitCode = 1;
    });
    const hello = JSON.stringify({ protocol: 1, implementation, version, language: "JavaScript" }).slice(1, -1);
    for await (const line of linesOf(process.stdin)) {
        const request = parse(line);
        const isHello = Number(request.id) === 0;
        let result = isHello ? hello : await resultOf(answer, request.in, stringify);
        // Alone, the program would fail if it printed anything else.
        if (printed !== "") result = `"error": ${JSON.stringify(`also printed: ${printed}`)}`;
        printed = "";
        write(`{"id": ${request.id}, ${result}}\n`);
    }
}

/** The member of the response that has the answer. */
async function resultOf(answer, values, stringify) {
    try {
        // String, because join() leaves out undefined.
        const texts = (await answer(values)).map((value) => String(stringify(value)));
        return `"out": [${texts.join(", ")}]`;
    } catch (error) {
        const member = error instanceof Skipped ? "skipped" : "error";
        return `"${member}": ${JSON.stringify(String(error?.message ?? error))}`;
    }
}

/** The lines of a stream. Not those of node:readline, which also ends them at \r and at U+2028 inside strings. */
async function* linesOf(stream) {
    let rest = "";
    for await (const chunk of stream.setEncoding("utf8")) {
        const lines = (rest + chunk).split("\n");
        rest = lines.pop();
        yield* lines;
    }
    if (rest !== "") yield rest;
}

/** The text of each value of a stream; parsing it finds what is malformed. */
function* valueTexts(text) {
    let depth = 0;
    let start = 0;
    for (const { 0: token, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"[\]{},:]+|\S/gs)) {
        if (depth === 0) start = index;
        if (token === "[" || token === "{") depth += 1;
        if (token === "]" || token === "}") depth -= 1;
        if (depth <= 0) yield text.slice(start, index + token.length);
    }
    if (depth > 0) yield text.slice(start);
}

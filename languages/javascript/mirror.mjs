// Answers the values of a case in reverse order: the program of the suite languages/session-suite.

import { Skipped, serve } from "./session.mjs";

function mirror(values) {
    if (values[0] === "skip") throw new Skipped("asked to skip");
    if (values[0] === "fail") throw new Error("asked to fail");
    return values.reverse();
}

serve(mirror, { implementation: "mirror", version: "1.0" });

// xtiles: where does the wire at a port of a turned tile lead?
//
// One query, one answer; the contract is docs/games/tsuro.md.

import { array, below } from "./form.mjs";
import { PORTS, degreesWritten, indexWritten, portWritten, turned } from "./tiles.mjs";
import { queryProgram } from "./wire.mjs";

const QUERY = "a query [index, degrees, port]";

function answer(value, at) {
    const parts = array(value, [3], QUERY, at);
    const index = indexWritten(parts[0], below(at, 0));
    const degrees = degreesWritten(parts[1], below(at, 1));
    const port = portWritten(parts[2], below(at, 2));
    const exit = turned(index, degrees)[port];
    return ["if ", PORTS[port], " is the entrance, ", PORTS[exit], " is the exit."];
}

queryProgram(QUERY, answer);

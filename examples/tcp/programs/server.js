// A server of the game: server.js PORT
// If its input is a number of games, it prints their heaps and winners, and ends.
import fs from "node:fs";
import net from "node:net";
import readline from "node:readline";

const isCount = (value, most) => Number.isInteger(value) && 1 <= value && value <= most;

function parse(line) {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}

const games = fs.readFileSync(0, "utf8");
const played = [];

function end(heap, winner) {
  played.push([heap, winner]);
  if (!games || played.length < Number(games)) return;
  played.sort((one, other) => one[0] - other[0] || (one[1] < other[1] ? -1 : 1));
  console.log(JSON.stringify(played));
  server.close();
}

const server = net.createServer((connection) => {
  const send = (message) => connection.write(JSON.stringify(message) + "\n");
  let heap = 0;
  let counters = 0;
  connection.on("error", () => {});
  readline.createInterface({ input: connection }).on("line", (line) => {
    const { play, take } = parse(line);
    if (!counters && isCount(play, 100)) {
      heap = counters = play;
      send({ counters });
    } else if (counters && isCount(take, Math.min(3, counters))) {
      counters -= take;
      if (!counters) {
        connection.end(JSON.stringify({ winner: "you" }) + "\n");
        end(heap, "client");
        return;
      }
      const took = counters % 4 || 1;
      counters -= took;
      if (counters) send({ took, counters });
      else {
        connection.end(JSON.stringify({ took, winner: "server" }) + "\n");
        end(heap, "server");
      }
    } else {
      send({ error: "not allowed now" });
    }
  });
});
server.listen(Number(process.argv[2]), "127.0.0.1");

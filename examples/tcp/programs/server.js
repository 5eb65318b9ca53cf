// A server of the game: server.js PORT
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

const server = net.createServer((connection) => {
  const send = (message) => connection.write(JSON.stringify(message) + "\n");
  let counters = 0;
  connection.on("error", () => {});
  readline.createInterface({ input: connection }).on("line", (line) => {
    const { play, take } = parse(line);
    if (!counters && isCount(play, 100)) {
      counters = play;
      send({ counters });
    } else if (counters && isCount(take, Math.min(3, counters))) {
      counters -= take;
      if (!counters) {
        connection.end(JSON.stringify({ winner: "you" }) + "\n");
        return;
      }
      const took = counters % 4 || 1;
      counters -= took;
      if (counters) send({ took, counters });
      else connection.end(JSON.stringify({ took, winner: "server" }) + "\n");
    } else {
      send({ error: "not allowed now" });
    }
  });
});
server.listen(Number(process.argv[2]), "127.0.0.1");

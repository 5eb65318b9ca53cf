// A client of the game, which prints the winner: client.js PORT [HEAP], or the heap as input.
import fs from "node:fs";
import net from "node:net";
import readline from "node:readline";

const heap = JSON.parse(process.argv[3] ?? (fs.readFileSync(0, "utf8") || "7"));
const connection = net.connect(Number(process.argv[2]), "127.0.0.1");
const send = (message) => connection.write(JSON.stringify(message) + "\n");
const fail = (reason) => {
  console.error(reason);
  process.exit(1);
};

connection.on("error", (problem) => fail(problem.message));
send({ play: heap });
for await (const line of readline.createInterface({ input: connection })) {
  const { winner, counters } = JSON.parse(line);
  if (winner !== undefined) {
    console.log(JSON.stringify(winner === "you" ? "client" : winner));
    process.exit(0);
  }
  if (counters === undefined) fail(`refused: ${line}`);
  send({ take: counters % 4 || 1 });
}
fail("the server has disappeared");

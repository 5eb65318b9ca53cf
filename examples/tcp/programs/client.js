// A client of the game: client.js PORT
import net from "node:net";
import readline from "node:readline";

const connection = net.connect(Number(process.argv[2]), "127.0.0.1");
const send = (message) => connection.write(JSON.stringify(message) + "\n");
const fail = (reason) => {
  console.error(reason);
  process.exit(1);
};

connection.on("error", (problem) => fail(problem.message));
send({ play: 7 });
for await (const line of readline.createInterface({ input: connection })) {
  const { winner, counters } = JSON.parse(line);
  if (winner !== undefined) process.exit(0);
  if (counters === undefined) fail(`refused: ${line}`);
  send({ take: counters % 4 || 1 });
}
fail("the server has disappeared");

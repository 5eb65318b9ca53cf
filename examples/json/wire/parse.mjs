// Print what JSON.parse reads in each JSON text.
import { createInterface } from "node:readline";

const infinities = new Map([[Infinity, "inf"], [-Infinity, "-inf"]]);

/** Return a value without what JSON cannot hold: infinity and lone surrogates. */
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [plain(key), plain(each)]));
  }
  return typeof value === "string" ? value.toWellFormed() : (infinities.get(value) ?? value);
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = { value: plain(JSON.parse(JSON.parse(line))) };
  } catch {
    answer = { error: true };
  }
  console.log(JSON.stringify(answer));
}

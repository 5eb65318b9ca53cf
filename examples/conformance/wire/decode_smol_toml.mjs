// Print the TOML document on standard input as tagged JSON, as toml-test has it.
import { readFileSync } from "node:fs";
import { parse, TomlDate } from "smol-toml";

function floatText(value) {
  if (Object.is(value, -0)) return "-0.0";
  return String(value).replace("Infinity", "inf").replace("NaN", "nan");
}

function tag(value) {
  if (Array.isArray(value)) return value.map(tag);
  if (value instanceof TomlDate) {
    const kinds = [["isDate", "date-local"], ["isTime", "time-local"], ["isLocal", "datetime-local"]];
    const kind = kinds.find(([test]) => value[test]())?.[1] ?? "datetime";
    return { type: kind, value: value.toISOString() };
  }
  if (typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, tag(each)]));
  }
  if (typeof value === "bigint") return { type: "integer", value: String(value) };
  if (typeof value === "number") return { type: "float", value: floatText(value) };
  return { type: typeof value === "boolean" ? "bool" : "string", value: String(value) };
}

try {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(0));
  console.log(JSON.stringify(tag(parse(text, { integersAsBigInt: true }))));
} catch (problem) {
  console.error(problem.message);
  process.exitCode = 1;
}

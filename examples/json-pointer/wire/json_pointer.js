// Resolve a pointer with json-pointer; the suite explains requests and answers.
"use strict";
const pointer = require("json-pointer");

const request = JSON.parse(require("fs").readFileSync(0, "utf8"));
let answer;
try {
  answer = { value: pointer.get(request.document, request.pointer) };
} catch {
  answer = { error: true };
}
console.log(JSON.stringify(answer));

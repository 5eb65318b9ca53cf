// Print which of the instances on standard input are valid against the schema there.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";

const { schema, instances } = JSON.parse(readFileSync(0, "utf8"));
const folder = join(process.env.XTEST_SUITE, "remotes");
const pathOf = (uri) => join(folder, uri.replace("http://localhost:1234/", ""));
const loadSchema = async (uri) => JSON.parse(readFileSync(pathOf(uri), "utf8"));
const ajv = new Ajv2020({ strict: false, validateFormats: false, loadSchema });
const validate = await ajv.compileAsync(schema);
console.log(JSON.stringify(instances.map((each) => validate(each))));

// Checks that the bundle matches the modules, and that its programs behave like the modules.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import test from "ava";
import { programFile } from "../../src/support/bundle.js";
import { projectRoot } from "../../src/support/project-root.js";

const BUILD = join(projectRoot(), "build");
const urlBelow = (...path: string[]): URL => pathToFileURL(join(BUILD, ...path));

function runModule(script: string, environment: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, ...environment };
  const words = ["--input-type=module", "--eval", script];
  return spawnSync(process.execPath, words, { env, encoding: "utf8" });
}

// The build's own module is plain JavaScript, without types.
const { scriptOfBuild } = (await import(
  pathToFileURL(join(projectRoot(), "ci", "bundle", "bundle.mjs")).href
)) as { scriptOfBuild(): Promise<{ name: string }> };

test("the bundle matches the current modules", async (t) => {
  const { name } = await scriptOfBuild();
  t.is(readFileSync(join(BUILD, "bundle", "name"), "utf8"), name);
});

test("a program runs from the bundle, unless modules are requested or there is no bundle", (t) => {
  const worker = ["src", "campaign", "run", "worker.js"];
  t.is(programFile(urlBelow(...worker)), join(BUILD, "bundle", ...worker));
  const other = urlBelow("src", "execute", "host", "attempt-all.js");
  t.is(programFile(other), join(BUILD, "src", "execute", "host", "attempt-all.js"));
  const script = `
    import { programFile } from "${urlBelow("src", "support", "bundle.js")}";
    console.log(programFile(new URL("${urlBelow(...worker)}")));`;
  const { stdout } = runModule(script, { TOUCHSTONE_MODULES: "1" });
  t.is(stdout, `${join(BUILD, ...worker)}\n`);
});

test("packages in the bundle have their licences there", (t) => {
  const licences = readFileSync(join(BUILD, "bundle", "LICENCES"), "utf8");
  for (const name of ["yargs", "yargs-parser", "cliui", "string-width", "wasmparser"]) {
    t.regex(licences, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\\n\\n.{10}`, "ms"), name);
  }
});

test("modules for help texts are loaded for help only, and print the same", (t) => {
  const script = (folder: string[]) => `
    import { main } from "${urlBelow(...folder, "fuzz", "main.js")}";
    process.stdout.columns = 80;
    process.exitCode = await main(["exec", "--help"]);`;
  const [bundled, modules] = [["bundle"], []].map((folder) => runModule(script(folder)));
  t.is(bundled.status, 0, bundled.stderr);
  t.regex(bundled.stdout, /--subjects/);
  t.is(bundled.stdout, modules.stdout);
});

// More than one module has a function `run`, so that in the script it has another name.
test("a stack names functions and places as the sources have them", (t) => {
  const script = `
    import { main } from "${urlBelow("bundle", "fuzz", "main.js")}";
    process.stdout.write = () => {
      throw new Error("refused");
    };
    main(["list", "subjects"]).catch(({ stack }) => console.error(stack));`;
  const { stderr } = runModule(script);
  t.regex(stderr, /^Error: refused\n/);
  t.regex(stderr, /^ {4}at (Object\.|async )?run \(.*\/fuzz\/list\.ts:\d+:\d+\)$/m);
});

// The solver is imported by a name that no bundler resolves.
test("a package that is resolved on demand is found from the bundle", (t) => {
  const script = `
    import { main } from "${urlBelow("bundle", "fuzz", "main.js")}";
    process.exitCode = await main(["prove", "--cold", "--rules", "sub-self"]);`;
  const { status, stdout, stderr } = runModule(script);
  t.is(status, 0, stderr);
  t.regex(stdout, /[1-9]\d* proved, 0 refuted, 0 unknown/);
});

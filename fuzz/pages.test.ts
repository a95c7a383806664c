// Checks the commands in the pages for people: fenced `sh` blocks, and tables of commands. The help
// of `fuzz`, and docs/commands.md, which is generated from it, have examples.test.ts.
//
// 1. Each `fuzz` line is parsed: its command, options and choices exist.
// 2. Lines of quick commands run, with the files of the test. The others are not run.
// 3. `npm test` lines name files that exist; `node` lines name a script that exists.
// 4. Each other line starts with a word of OTHER_TOOLS.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { FINDING_SCHEMA, FINDING_VERSION } from "../src/report/finding.js";
import { projectRoot } from "../src/support/project-root.js";
import { parse } from "./main.js";
import { runHere } from "./support/run-here.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-pages-"));
test.after.always(() => rmSync(folder, { recursive: true }));
const own = (name: string): string => join(folder, name);

const PROGRAM = `touchstone 1
proc main(Int32 @0) -> Int32
#0:
  Void @1 = Return(@0)
; run: main(1) = 1
`;
mkdirSync(own("finding"));
const about = { schema: FINDING_SCHEMA, version: FINDING_VERSION, aspect: null, canary: null };
writeFileSync(join(own("finding"), "finding.json"), JSON.stringify({ ...about, subject: "ir-O1" }));
for (const name of ["finding/original.ir", "finding/program.ir", "x.ir"]) {
  writeFileSync(own(name), PROGRAM);
}

const root = projectRoot();

/** Returns the Markdown files of a folder, as paths in the project. */
const pagesIn = (path: string, recursive: boolean): string[] =>
  readdirSync(join(root, path), { recursive, encoding: "utf8" })
    .filter((name) => (recursive ? /(^|\/)README\.md$/ : /\.md$/).test(name))
    .map((name) => join(path, name));

/** Pages that other tests cover, with the reason. */
const OTHER_PAGES: ReadonlyMap<string, string> = new Map([
  ["docs/commands.md", "generated from the help, whose examples fuzz/examples.test.ts runs"],
  ["docs/tutorial.md", "needs a folder with the installed package"],
]);

interface PageCommand {
  readonly page: string;
  readonly line: string;
}

/** Returns the commands of a page: lines of `sh` blocks, and cells of tables that are a command. */
function commandsIn(page: string, text: string): PageCommand[] {
  const blocks = [...text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].flatMap(([, block]) =>
    block.replace(/\\\n\s*/g, "").split("\n"),
  );
  const cells = [...text.matchAll(/^\|.*\|$/gm)].flatMap(([row]) =>
    [...row.matchAll(/`((?:npx --no-install fuzz|node ci\/|npm test --) [^`]*)`/g)].map(
      ([, c]) => c,
    ),
  );
  return [...blocks, ...cells]
    .map((line) => line.replace(/\s+#\s.*$/, "").trim())
    .filter((line) => line !== "")
    .map((line) => ({ page, line }));
}

const commands = [
  ...["README.md", "CONTRIBUTING.md"],
  ...["docs", "docs/how-to"].flatMap((path) => pagesIn(path, false)),
  ...["src", "reference", "fuzz", "ci", "corpus", "docs"].flatMap((path) => pagesIn(path, true)),
]
  .filter((page, index, all) => all.indexOf(page) === index && !OTHER_PAGES.has(page))
  .flatMap((page) => commandsIn(page, readFileSync(join(root, page), "utf8")));

/** The commands that run here on small files; lines of the others are only parsed. */
const QUICK: ReadonlySet<string> = new Set(["compile", "exec", "list"]);

/** Words that start a line of another kind, with the reason why it does not run. */
const OTHER_TOOLS: ReadonlyMap<string, string> = new Map([
  ["ci/setup", "every run of the tests follows it"],
  ["npx biome", "`.ci/run` runs it as npm run lint"],
  ["npm run build", "every run of the tests begins with it"],
  ["git", "changes the repository"],
  ["export", "a variable"],
  ["sudo", "changes the machine"],
  ["journalctl", "needs the installed timer"],
  ["docker", "needs Docker: ci/container"],
  ["ls", "reads"],
]);

/** Replacements for words of a line. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ...["x.ir", "program.ir", "/tmp/x.ir", "$F/program.ir"].map(
    (word) => [word, own("x.ir")] as const,
  ),
  ["$F", own("finding")],
  ["PHASE", "narrow"],
]);

/** Splits a line at spaces outside of quotes. */
const split = (line: string): string[] =>
  [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replace(/['"]/g, ""));

/** Returns the arguments with which a `fuzz` line runs here. */
const argumentsOf = (line: string): string[] => split(line).map((word) => WORDS.get(word) ?? word);

const FUZZ = /^(?:ci\/setup && )?(?:npx (?:--no-install )?)?fuzz /;
const seen = new Set<string>();

for (const { page, line } of commands) {
  const key = line.replace(FUZZ, "").replace(/ > \S+$/, "");
  if (seen.has(line)) continue;
  seen.add(line);
  if (!FUZZ.test(line)) {
    test(`${page}: ${line}`, (t) => t.is(faultOfOther(line), null));
    continue;
  }
  const runs = QUICK.has(key.split(" ")[0]) && !/@|v8-|\*|\$finding|\$file|command|NAME/.test(key);
  test.serial(`${page}: ${line}${runs ? "" : " (parsed)"}`, async (t) => {
    const names = split(key).map((word) => word.replace(/NAME/g, placeholderOf(key)));
    await t.notThrowsAsync(parse(names));
    if (!runs) return;
    const { status, error } = await runHere(argumentsOf(key));
    t.is(status, key.includes("--canary") ? 1 : 0, error);
  });
}

/** Returns a value for `NAME` that the option of the line accepts. */
function placeholderOf(line: string): string {
  if (line.includes("--canary")) return "float-rule";
  return line.includes("allocator") ? "one-pass" : "narrow";
}

/** Returns why a line that is no `fuzz` line is wrong; null if it is right. */
function faultOfOther(line: string): string | null {
  for (const command of line.split(" && ")) {
    const fault = faultOfTool(command.replace(/^(?:[A-Z_]+=\S+ |nice -n \d+ |\()+/, ""));
    if (fault !== null) return fault;
  }
  return null;
}

function faultOfTool(command: string): string | null {
  if (command === "npm test") return null;
  const [tool, ...words] = split(command);
  if (/^npm test --/.test(command) || command.startsWith("npx ava")) {
    const files = words.filter((word) => word.includes("/"));
    const sources = files.map((file) => file.replace(/^build\//, "").replace(/\.js$/, ".ts"));
    const missing = sources.filter((file) => !existsSync(join(root, file.replace(/\*.*/, ""))));
    return missing.length === 0 ? null : `no such test: ${missing.join(", ")}`;
  }
  if (tool === "node")
    return existsSync(join(root, words[0])) ? null : `no such script: ${words[0]}`;
  if ([...OTHER_TOOLS.keys()].some((start) => `${command} `.startsWith(`${start} `))) return null;
  return `${tool}: add it to OTHER_TOOLS with a reason, or to the mechanism of this test`;
}

test("a wrong command in a page is found", async (t) => {
  const [{ line }, { line: other }] = commandsIn(
    "x.md",
    "```sh\nnpx --no-install fuzz run --cuont 3\nnpm test -- src/no.test.ts\n```\n",
  );
  await t.throwsAsync(parse(split(line.replace(FUZZ, ""))));
  t.not(faultOfOther(other), null);
  t.not(faultOfOther("frobnicate x"), null);
});

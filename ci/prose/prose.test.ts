// The prose of the project keeps the rules, and each rule finds its example.

import { spawnSync } from "node:child_process";
import test from "ava";
import { projectRoot } from "../../src/support/project-root.js";
import { pathsBelow, plant, read } from "../project-files.js";
import { proseFaults, subjectFaults } from "./check.js";
import { PROSE_RULES, SUBJECTS_SINCE } from "./rules.js";

test("no sentence and no type name breaks a rule of prose: `node ci/prose.mjs PATH` lists them", (t) => {
  const files = read(
    pathsBelow(".", /\.(ts|mjs|md)$/).filter((path) => !path.startsWith("ci/prose/")),
  );
  t.true(files.size > 1000, `only ${files.size} files found`);
  t.deepEqual(proseFaults(files), []);
});

for (const { name, wrong, right, isOpening } of PROSE_RULES) {
  test(`the rule "${name}" finds its example, in comments, messages and Markdown`, (t) => {
    for (const words of isOpening ? [wrong] : [wrong, `A short sentence. ${wrong}`]) {
      const sources = plant({
        "a.ts": `const x = 1;\n// ${words}\n`,
        "b.ts": `const url = "http://x"; /** ${words} */\n`,
        "c.ts": `const message = "${words}";\n`,
        "d.md": `# Title\n\n${words}\n`,
        "e.md": `| ${words} | 1 |\n`,
      });
      for (const [path] of sources) {
        const faults = proseFaults(new Map([[path, sources.get(path) ?? ""]]));
        t.true(
          faults.some((fault) => fault.includes(`: ${name}: `)),
          `${path}: ${words}`,
        );
      }
    }
    t.deepEqual(proseFaults(plant({ "a.ts": `// ${right}\n`, "b.md": right })), []);
  });
}

// The sentences that readers of the project did not understand.
const SENTENCES = [
  "What is right so has met that bug",
  "Of engines that compile it so came to one program",
  "A caller listens whether the procedure asks it to leave",
  "What only goes on from a Phi, by a constant, is computed last",
  "Of a hundred mutations so many are of a program from outside",
  "Each look of a difference is told once",
  "Into what the interpreter of that code makes it",
  "The guilty phase",
];
for (const sentence of SENTENCES) {
  test(`a comment is rejected: ${sentence}`, (t) => {
    t.is(proseFaults(plant({ "a.ts": `// ${sentence}.\n` })).length > 0, true);
  });
}

test("code, quoted code, questions and persons are no faults", (t) => {
  const source = [
    'const regex = /What is it/; const ir = "; run: f(1)";',
    "// The reader calls `whatIsSaid`; what does it return?",
    "// A user who asks for help reads docs/README.md.",
    "/* In front of `x` comes a comment: */".replace("In front of `x` comes", "Before `x` is"),
  ].join("\n");
  t.deepEqual(proseFaults(plant({ "a.ts": source })), []);
  t.deepEqual(proseFaults(plant({ "a.md": "```\nWhat it says\n```\n" })), []);
});

test("a type has a name of its domain", (t) => {
  const names = ["Place", "Row", "Seen", "Left", "Compiled"];
  for (const name of names) {
    t.is(proseFaults(plant({ "a.ts": `export interface ${name} {}\n` })).length, 1, name);
  }
  t.deepEqual(proseFaults(plant({ "a.ts": "interface SpillLocation {}\ntype Seed = 1;\n" })), []);
});

test("a commit has an area and an imperative", (t) => {
  const wrong = [
    "Let no text of a log name more than the table does",
    "b3: rejects unknown opcodes",
    "b3, import: reject unknown opcodes",
    "b3: rejected unknown opcodes",
    "b3: the unknown opcodes are rejected",
    "b3: reject unknown opcodes in logs that come from a process of the user",
  ];
  for (const subject of wrong) t.true(subjectFaults(subject).length > 0, subject);
  t.deepEqual(subjectFaults("b3: reject unknown opcodes in logs"), []);
  t.is(subjectFaults("Merge main").length, 1, "merges are left out by git");
});

const git = (...args: string[]) =>
  spawnSync("git", ["-c", "safe.directory=*", ...args], { cwd: projectRoot(), encoding: "utf8" });
const hasHistory = git("merge-base", "--is-ancestor", SUBJECTS_SINCE, "HEAD").status === 0;

(hasHistory ? test : test.skip)("each commit has an area and an imperative", (t) => {
  const { stdout } = git("log", "--no-merges", "--format=%s", `${SUBJECTS_SINCE}..HEAD`);
  const subjects = stdout.split("\n").filter((subject) => subject !== "");
  t.deepEqual(subjects.flatMap(subjectFaults), []);
});

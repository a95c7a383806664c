#!/usr/bin/env node
// Plants the bugs of corpus/planted, each in a copy of its own, and looks whether they are found.
//
//   node ci/planted.mjs --check [ID ...]     does each change still apply?
//   node ci/planted.mjs [--count N] [--seed S] [--workers W] [--table FILE] [ID ... | --draw N]
//
// --draw takes so many, the same every time: one of each component first, then whatever comes.
//
// Of each: the changed copy is built; the witness must fail there and hold here; a campaign over random
// programs runs until its first finding; its report says what was located, and how small the program
// became. A copy that does not build, or a witness that says nothing, is a fault of the plant.
//
// Status 0: each was found, with the right stage; 1: some were not; 2: wrong usage.

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "corpus", "planted");

/** What a finding costs at most, and a campaign without one. */
const CAMPAIGN_SECONDS_MAX = 3600;

const ids = () =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();

/** The lines before the change, by name. */
function headOf(patch) {
  const head = patch.split(/^diff --git /m)[0];
  return Object.fromEntries(
    [...head.matchAll(/^([A-Z]\w+): (.*)$/gm)].map(([, name, text]) => [name, text.trim()]),
  );
}

/** All that git knows or would add, as it stands. */
function copyTree() {
  const target = mkdtempSync(join(tmpdir(), "touchstone-planted-"));
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  for (const file of listed
    .split("\0")
    .filter((name) => name !== "" && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(join(root, file), join(target, file));
  }
  symlinkSync(join(root, "node_modules"), join(target, "node_modules"));
  if (existsSync(join(root, ".touchstone"))) {
    symlinkSync(join(root, ".touchstone"), join(target, ".touchstone"));
  }
  return target;
}

const apply = (target, id, ...options) =>
  spawnSync("git", ["apply", ...options, join(folder, id, "change.patch")], {
    cwd: target,
    encoding: "utf8",
  });

/** Null if the change applies; else what git said. */
const faultOf = (target, id) => {
  const { status, stderr } = apply(target, id, "--check");
  return status === 0 ? null : stderr.trim().split("\n")[0];
};

const fuzz = (tree, args, seconds) =>
  spawnSync(process.execPath, [join(tree, "fuzz", "launcher.mjs"), ...args], {
    cwd: tree,
    encoding: "utf8",
    timeout: seconds * 1000,
    maxBuffer: 1 << 28,
  });

/** The first bugs are looked for, each in a tree of its own. */
function look(id, { count, seed, workers }) {
  const head = headOf(readFileSync(join(folder, id, "change.patch"), "utf8"));
  const row = { id, ...head, found: false, how: "not found", programs: null, seconds: null };
  const tree = copyTree();
  try {
    const applied = apply(tree, id);
    if (applied.status !== 0) return { ...row, how: `does not apply: ${applied.stderr.trim()}` };
    const built = spawnSync(process.execPath, [join(tree, "ci", "build.mjs")], {
      cwd: tree,
      encoding: "utf8",
    });
    if (built.status !== 0)
      return { ...row, how: `does not build: ${built.stderr}${built.stdout}` };
    const witness = join(folder, id, "witness.ir");
    const here = fuzz(root, ["corpus", "run", witness, "--subjects", "*"], 120);
    const there = fuzz(tree, ["corpus", "run", witness, "--subjects", "*"], 120);
    if (here.status !== 0)
      return { ...row, how: `the witness fails without it: ${lastLine(here)}` };
    if (there.status === 0) return { ...row, how: "the witness holds with it: no bug" };
    const reports = join(tree, "reports", "planted");
    const own = (head.Run ?? "").split(/\s+/).filter((word) => word !== "");
    const options = [
      "--seed",
      seed,
      "--count",
      count,
      "--workers",
      workers,
      "--until-findings",
      "1",
    ];
    const started = performance.now();
    const before = processorSeconds();
    const run = fuzz(
      tree,
      ["run", ...options, ...own, "--reports", reports, "--json"],
      CAMPAIGN_SECONDS_MAX,
    );
    const seconds = (performance.now() - started) / 1000;
    const processor = before === null ? null : processorSeconds() - before;
    const result = resultOf(run);
    if (result === null)
      return { ...row, how: `the campaign failed: ${lastLine(run)}`, seconds, processor };
    const [entry] = result.findings;
    if (entry === undefined) {
      const how = result.ended === "count" ? row.how : `ended early: ${result.ended}`;
      return { ...row, how, programs: result.programs, seconds, processor };
    }
    const finding = JSON.parse(readFileSync(resolve(tree, entry.path, "finding.json"), "utf8"));
    const program = Number(BigInt(entry.seed ?? seed) - BigInt(seed)) + 1;
    return {
      ...row,
      found: true,
      how: finding.kind,
      programs: program,
      seconds,
      processor,
      ...locatedBy(finding),
    };
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

const locatedBy = ({ cause, values, subject, bucket, instruction }) => ({
  cause,
  values,
  subject,
  bucket,
  instruction,
});

function resultOf({ stdout }) {
  try {
    return JSON.parse(stdout.trim().split("\n").at(-1));
  } catch {
    return null;
  }
}

/**
 * What children have used so far, theirs included; it says more than the clock where others are at work
 * too. Null where the system does not count it.
 */
function processorSeconds() {
  const file = "/proc/self/stat";
  if (!existsSync(file)) return null;
  const fields = readFileSync(file, "utf8").split(") ").at(-1).split(" ");
  const TICKS_PER_SECOND = 100;
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

const lastLine = ({ stdout, stderr }) => `${stdout}${stderr}`.trim().split("\n").at(-1);

/** True where what was located is what the plant says. An error names no cause. */
const isRight = ({ found, cause, Stage, Rule }) =>
  found && cause != null && cause.stage === Stage && (Rule === undefined || cause.rule === Rule);

/** The stage, its part and rule; of code that is written wrong the row. */
const nameOf = ({ cause, instruction }) =>
  cause == null
    ? ""
    : [cause.stage, cause.part, cause.rule ?? instruction?.row ?? null]
        .filter((part) => part !== null)
        .join("/");

function tableOf(rows, { count, seed }) {
  const found = rows.filter((row) => row.found);
  const right = rows.filter(isRight);
  const sizes = found
    .map(({ values }) => values)
    .filter((n) => n !== null)
    .sort((x, y) => x - y);
  const cells = rows.map((row) => {
    const { id, Component, Stage, programs, how, values, seconds, processor } = row;
    const at = row.found ? `${programs}` : `${how}`;
    const place = row.found
      ? `${nameOf(row) || how}${isRight(row) ? "" : ` (expected ${Stage})`}`
      : "";
    return `| ${id} | ${Component} | ${at} | ${place} | ${values ?? ""} | ${seconds?.toFixed(0) ?? ""} | ${processor?.toFixed(0) ?? ""} |`;
  });
  return [
    "# Findings: planted bugs",
    "",
    "Bugs that other compilers had, planted one at a time in a copy (`corpus/planted`), and looked for among random",
    `programs: \`node ci/planted.mjs\`, at most ${count} programs from seed ${seed}.`,
    "",
    "| bug | component | found after so many programs | located | values | seconds | processor seconds |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...cells,
    "",
    `${found.length} of ${rows.length} found, ${right.length} with the right stage and rule;`,
    `${sizes[sizes.length >> 1] ?? 0} values in the median beside parameters, constants and returns, ${sizes.at(-1) ?? 0} at most.`,
    "Seconds are those of the whole campaign, by the clock and of one processor: to find, confirm, locate and",
    "reduce.",
    "",
  ].join("\n");
}

/** In an order that the ids alone decide: the first of each component, then the others. */
function drawn(count) {
  const rank = (id) => createHash("sha256").update(id).digest("hex");
  const ordered = ids().sort((x, y) => (rank(x) < rank(y) ? -1 : 1));
  const components = new Set();
  const first = ordered.filter((id) => {
    const { Component } = headOf(readFileSync(join(folder, id, "change.patch"), "utf8"));
    const isFirst = !components.has(Component);
    components.add(Component);
    return isFirst;
  });
  const others = ordered.filter((id) => !first.includes(id));
  return [...first, ...others].slice(0, count).sort();
}

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: "boolean", default: false },
    count: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    workers: { type: "string", default: "2" },
    table: { type: "string" },
    draw: { type: "string" },
  },
});
const own = positionals.length > 0 ? positionals : ids();
const chosen = given.draw === undefined ? own : drawn(Number(given.draw));
const unknown = chosen.find((id) => !existsSync(join(folder, id, "change.patch")));
if (unknown !== undefined) {
  console.error(`planted: ${unknown}: no such folder in corpus/planted`);
  process.exit(2);
}
if (given.check) {
  const faults = chosen.flatMap((id) => {
    const fault = faultOf(root, id);
    return fault === null ? [] : [`${id}: ${fault}`];
  });
  for (const fault of faults) console.log(fault);
  console.log(`${chosen.length - faults.length} of ${chosen.length} changes apply`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} else {
  const rows = chosen.map((id) => {
    const row = look(id, given);
    const where = row.found
      ? `after ${row.programs} programs: ${nameOf(row) || row.how}, ${row.values} values`
      : row.how;
    const spent = row.processor == null ? "" : `, ${row.processor.toFixed(0)} s of a processor`;
    const time = row.seconds === null ? "" : `, ${row.seconds.toFixed(0)} s${spent}`;
    console.log(`${id}: ${where}${time}`);
    return row;
  });
  if (given.table !== undefined) writeFileSync(given.table, tableOf(rows, given));
  const right = rows.filter(isRight).length;
  console.log(
    `${rows.filter(({ found }) => found).length} of ${rows.length} found, ${right} rightly located`,
  );
  process.exitCode = right === rows.length ? 0 : 1;
}

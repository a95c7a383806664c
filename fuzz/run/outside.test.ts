// Tests campaigns that mutate programs of the user: from the first round on, and replayed from a
// report alone.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { Evolution, FIRST_STATE } from "../../src/campaign/evolved/evolution.js";
import { projectRoot } from "../../src/support/project-root.js";
import { runHere } from "../support/run-here.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-outside-"));
test.after.always(() => rmSync(folder, { recursive: true }));

/** A command that returns 7 for every question. */
const SEVEN = `echo '{"touchstone": 1, "name": "seven", "format": "text"}'
while read -r line; do echo '{"answers": [{"runs": [{"result": "0x00000007"}]}]}'; done`;

const own = join(folder, "own.ir");
writeFileSync(
  own,
  `touchstone 1
proc main(Int32 @0) -> Int32
#0:
  Int32 @1 = Const32(123456789)
  Int32 @2 = Mul(@0, @1)
  Int32 @3 = BitXor(@2, @0)
  Void @4 = Return(@3)
; run: main(9)
; run: main(-1)
`,
);

interface CampaignAnswer {
  readonly findings: readonly { readonly path: string; readonly seed: string }[];
  readonly evolution: { readonly rounds: readonly { readonly mutated: number }[] } | null;
}

/** Runs a campaign and parses the output of `run --json`. */
async function campaign(
  ...words: readonly string[]
): Promise<CampaignAnswer & { readonly status: number }> {
  const reports = mkdtempSync(join(folder, "run-"));
  const always = ["--workers", "1", "--reports", reports, "--json"];
  const { status, out, error } = await runHere(["run", ...words, ...always]);
  if (out === "") throw new Error(error);
  return { ...(JSON.parse(out) as CampaignAnswer), status };
}

test.serial("the files of a report reproduce its program", async (t) => {
  const wrong = ["--subjects", "command", "--subject-command", SEVEN, "--until-findings", "1"];
  const words = ["--profile", "mutated", "--outside", own, "--count", "4"];
  const { status, findings } = await campaign(...words, ...wrong);
  t.is(status, 1);
  const [{ path, seed }] = findings;
  const { parents } = JSON.parse(readFileSync(join(path, "finding.json"), "utf8"));
  t.regex(parents, /^o[0-9a-f]{12}$/);
  const [file] = readdirSync(path).filter((name) => name.startsWith("outside-"));
  t.is(file, `outside-${parents.slice(1)}.ir`);
  t.regex(readFileSync(join(path, file), "utf8"), /Const32\(123456789\)/);
  const again = ["--seed", seed, "--profile", "mutated", "--parents", parents];
  const shown = await runHere([...again, "--outside", join(path, file), "--subjects", "ir-O1"]);
  t.is(shown.status, 0, shown.error);
  const [original] = readFileSync(join(path, "original.ir"), "utf8").split("\n; run:");
  t.true(shown.out.includes(original.trim()), shown.out);
  const lost = await runHere([...again, "--subjects", "ir-O1"]);
  t.is(lost.status, 2);
  t.regex(lost.error, /^fuzz: --parents o[0-9a-f]+: expected --outside with the file of o/);
});

test.serial("imported WebAssembly is mutated in the first round of a corpus", async (t) => {
  const wasm = join(projectRoot(), "corpus", "bench", "lz.wasm");
  const words = ["--profile", "evolved", "--outside", wasm, "--count", "10"];
  const { status, evolution } = await campaign(...words, "--subjects", "ir-O1");
  t.is(status, 0);
  t.true((evolution?.rounds[0].mutated ?? 0) > 0, JSON.stringify(evolution?.rounds));
});

test("some programs have parents from outside, and programs without such parents do not change", (t) => {
  const steps = ["oaaaaaaaaaaaa", "obbbbbbbbbbbb"];
  const { parents } = new Evolution(1n, FIRST_STATE, 64, steps).breedingOf(0, 64);
  const count = (step: string): number => parents.filter(([first]) => first === step).length;
  t.true(count(steps[0]) > 2 && count(steps[1]) > 2);
  t.true(parents.filter((own) => own.length === 0).length > 16);
  const without = new Evolution(1n, FIRST_STATE, 64).breedingOf(0, 64).parents;
  t.true(without.every((own) => own.length === 0));
});

// biome-ignore format: a table
const REFUSED: readonly (readonly [words: readonly string[], says: RegExp])[] = [
  [["--outside", own],                                         /--outside: expected --profile evolved or mutated/],
  [["--profile", "evolved", "--outside", "/nowhere.ir"],       /--outside \/nowhere.ir: there is no such file or folder/],
  [["--profile", "evolved", "--outside", `${projectRoot()}/package.json`], /expected a file named .ir, .wasm, .wat, .wast, or a folder/],
];
for (const [words, says] of REFUSED) {
  test.serial(`refused: ${says}`, async (t) => {
    const { status, error } = await runHere(["run", "--count", "1", ...words]);
    t.is(status, 2);
    t.regex(error, says);
  });
}

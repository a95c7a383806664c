import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { emptyTally } from "../../src/campaign/count/tally.js";
import { UserError } from "../support/output.js";
import { brokenLimits, plannedArgs, seedOf } from "./settings.js";

const folder = mkdtempSync(join(tmpdir(), "touchstone-settings-"));
test.after.always(() => rmSync(folder, { recursive: true }));

function written(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test("a plan of the file extends the built-in plan", (t) => {
  const path = written(
    "good.toml",
    `# a night
[plans.nightly]
subjects = ["x64-*", "ir-O2"]
workers = 2
limits = { unjudged-share = 0.25 }

[plans.mine]
seed = 7
count = 10
subject-command = "mycc {wasm} {export}"
subject-seconds = 5
`,
  );
  const { args, limits } = plannedArgs("nightly", path);
  t.like(args, { for: "90m", subjects: "x64-*,ir-O2", workers: "2" });
  t.regex(seedOf(args.seed ?? ""), /^20\d{6}000000000$/);
  t.deepEqual(limits, { "unjudged-share": 0.25 });
  t.like(plannedArgs("mine", path).args, {
    ...{ seed: "7", count: "10", for: undefined },
    ...{ subjectCommand: "mycc {wasm} {export}", subjectSeconds: "5", subjectMemory: undefined },
  });
  t.like(plannedArgs("smoke", path).args, { count: "500" });
  t.is(plannedArgs("pr", path).since, "branch");
  const nothing = { args: {}, since: undefined, limits: {} };
  t.deepEqual(plannedArgs(undefined, undefined), nothing);
});

// biome-ignore format: a table
const WRONG = [
  { text: "[plans.a]\ncount = \n",                                  says: /:2:\d+: Invalid TOML/ },
  { text: "[plans.a]\n\n  cuont = 3\n",                             says: /:3:3: plans\.a\.cuont: / },
  { text: "[plan.a]\n",                                             says: /:1:1: plan: / },
  { text: "[plans.a]\nfor = 3\n",                                   says: /:2:1: plans\.a\.for: .*expected string/ },
  { text: "[plans.b]\nfor = '3s'\n[plans.a]\nlimits = { unjudged-share = 2 }\n", says: /:4:1: plans\.a\.limits\.unjudged-share: / },
  { text: "[plans.b]\n",                                            says: /run a: no such plan; expected smoke, pr, nightly, world, b/ },
  { text: "[plans.b]\n", name: "toString",                          says: /run toString: no such plan/ },
];

test("a mistake in the file is one line with its position", (t) => {
  WRONG.forEach(({ text, says, name = "a" }, i) => {
    const path = written(`wrong-${i}.toml`, text);
    const error = t.throws(() => plannedArgs(name, path), { instanceOf: UserError }, text);
    t.regex(error?.message ?? "", says);
  });
});

test("a limit is exceeded beyond its value, not at it", (t) => {
  const tally = { ...emptyTally(), subjects: { x: { equal: 3, different: 0, unjudged: 1 } } };
  const counted = { tally, programs: 40, seconds: 2 };
  const broken = (share: number, rate: number): number =>
    brokenLimits({ "unjudged-share": share, "programs-per-second": rate }, counted).length;
  t.deepEqual([broken(0.25, 20), broken(0.24, 20), broken(0.24, 20.1)], [0, 1, 2]);
  t.deepEqual(brokenLimits({}, counted), []);
});

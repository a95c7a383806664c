// Compares evolution with usual programs: the same seeds, once as usual programs and once with the profile `evolved`,
// judged by the same subjects. Prints the coverage after equal numbers of programs, and after equal times.
//
//   node ci/measure.mjs evolving [--seed 1] [--count 10000] [--subjects x64-O2,...] [--draw 6]
//
// One process. Times are processor times, so other work on the machine hardly matters.

import { readOptions } from "../options.mjs";

const root = new URL("../../build/", import.meta.url);
const load = (path) => import(new URL(path, root).href);
const { Evolution, FIRST_STATE, ROUND_PROGRAMS } = await load("src/campaign/evolved/evolution.js");
const { parentsOf } = await load("src/campaign/program/lineage.js");
const { featuresOf, FEATURE_COUNT, FEATURE_KINDS, sizeOf } = await load(
  "src/campaign/evolved/features.js",
);
const { SeedJudge } = await load("src/campaign/run/judge-seed.js");
const { EVOLVED, seedAt, USUAL } = await load("src/campaign/program/seeds.js");
const { emptyTally } = await load("src/campaign/count/tally.js");
const { SUBJECTS } = await load("src/execute/subjects.js");

const { values } = readOptions({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "10000" },
    subjects: { type: "string" },
    draw: { type: "string", default: "6" },
  },
});
const first = BigInt(values.seed);
const subjects =
  values.subjects?.split(",") ?? SUBJECTS.filter(({ native }) => !native).map(({ name }) => name);
const rounds = Math.ceil(Number(values.count) / ROUND_PROGRAMS);

/** Runs a campaign of one process, round by round. */
class Runner {
  constructor(profile) {
    this.profile = profile;
    this.tally = emptyTally(subjects);
    this.judge = new SeedJudge({ subjects, canary: null, drawn: Number(values.draw), profile });
    this.evolution = new Evolution(first, FIRST_STATE);
    this.seen = new Uint8Array(FEATURE_COUNT);
    this.seconds = 0;
    this.size = 0;
    /** By round, from the start. */
    this.rows = [];
  }

  runRound(begin) {
    const { evolution, profile, tally } = this;
    const begun = process.cpuUsage();
    const { parents, common } = evolution.breedingOf(begin, ROUND_PROGRAMS);
    const news = [];
    parents.forEach((own, at) => {
      const lineage = profile === EVOLVED ? parentsOf(own) : "";
      const named = { seed: seedAt(first, begin + at), parents: lineage };
      const list = this.judge.judge(named, tally, (module, result) => {
        const features = featuresOf(module, result);
        for (const feature of features) this.seen[feature] = 1;
        const size = sizeOf(module);
        this.size += size;
        news.push({ at, size, features: features.filter((feature) => common[feature] === 0) });
      });
      for (const { kind, seed, subject, detail } of list) {
        console.error(`found ${kind} ${subject}, seed ${seed}, ${profile} ${lineage}: ${detail}`);
      }
    });
    evolution.commit(begin, parents, news);
    const { user, system } = process.cpuUsage(begun);
    this.seconds += (user + system) / 1e6;
    this.rows.push({ seconds: this.seconds, seen: this.seen.slice() });
  }

  /** Seconds, values of a program, features. */
  cells(programs) {
    const mean = Math.round(this.size / programs);
    const covered = countIn(this.seen, { begin: 0, end: FEATURE_COUNT });
    return [
      this.seconds.toFixed(1).padStart(8),
      String(mean).padStart(5),
      String(covered).padStart(7),
    ];
  }
}

const countIn = (seen, { begin, end }) =>
  seen.subarray(begin, end).reduce((sum, one) => sum + one, 0);

console.log("programs | usual: seconds, values a program, features | evolved: the same");
const [usual, evolved] = [new Runner(USUAL), new Runner(EVOLVED)];
for (let round = 0; round < rounds; round++) {
  for (const runner of [usual, evolved]) runner.runRound(round * ROUND_PROGRAMS);
  const programs = (round + 1) * ROUND_PROGRAMS;
  const cells = [usual, evolved].map((runner) => runner.cells(programs).join(" "));
  console.log(`${String(programs).padStart(8)} | ${cells.join(" | ")}`);
}

const last = usual.rows.at(-1);
const inTime = evolved.rows.findLast(({ seconds }) => seconds <= last.seconds);
console.log("by kind: usual; evolved; evolved in the time of the usual ones; of");
for (const kind of FEATURE_KINDS) {
  const counts = [last, evolved.rows.at(-1), inTime].map((row) =>
    row === undefined ? "-" : countIn(row.seen, kind),
  );
  console.log([kind.name.padEnd(30), ...counts, kind.end - kind.begin].join(" "));
}

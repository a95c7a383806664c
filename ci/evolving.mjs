// Does evolving help? The same seeds, once as usual programs and once with the profile `evolved`, judged by
// the same subjects: what they cover after so many programs, and after so much time.
//
//   node ci/evolving.mjs [--seed 1] [--count 10000] [--subjects x64-O2,...] [--draw 6]
//
// One process. Times are of the processor, so that others on the machine hardly matter.

import { parseArgs } from "node:util";

const root = new URL("../build/", import.meta.url);
const load = (path) => import(new URL(path, root).href);
const { Evolution, FIRST_STATE, ROUND_PROGRAMS } = await load("src/campaign/evolved/evolution.js");
const { parentsOf } = await load("src/campaign/evolved/lineage.js");
const { featuresOf, FEATURE_COUNT, FEATURE_KINDS } = await load("src/campaign/evolved/features.js");
const { SeedJudge } = await load("src/campaign/judge-seed.js");
const { EVOLVED, seedAt, USUAL } = await load("src/campaign/seeds.js");
const { emptyTally } = await load("src/campaign/tally.js");
const { SUBJECTS } = await load("src/execute/subjects.js");

const { values } = parseArgs({
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

const valuesIn = ({ procedures }) =>
  procedures.reduce(
    (sum, { blocks }) => sum + blocks.reduce((n, block) => n + block.values.length, 0),
    0,
  );

/** By round: what was covered, and the seconds that it took, from the beginning. */
function measure(profile) {
  const tally = emptyTally(subjects);
  const judge = new SeedJudge({ subjects, canary: null, drawn: Number(values.draw), profile });
  const evolution = new Evolution(first, FIRST_STATE);
  const seen = new Uint8Array(FEATURE_COUNT);
  const rows = [];
  let [valueCount, fresh, found] = [0, 0, 0];
  const begun = process.cpuUsage();
  for (let round = 0; round < rounds; round++) {
    const begin = round * ROUND_PROGRAMS;
    const { parents, common } = evolution.breedingOf(begin, ROUND_PROGRAMS);
    const news = [];
    parents.forEach((lineage, at) => {
      const named = {
        seed: seedAt(first, begin + at),
        parents: profile === EVOLVED ? parentsOf(lineage) : "",
      };
      const list = judge.judge(named, tally, (module, result) => {
        const all = featuresOf(module, result);
        for (const feature of all) {
          if (seen[feature] === 0) fresh++;
          seen[feature] = 1;
        }
        const features = all.filter((feature) => common[feature] === 0);
        const size = valuesIn(module);
        valueCount += size;
        news.push({ at, size, features });
      });
      for (const { kind, seed, subject, aspect, detail } of list) {
        found++;
        console.error(
          `found ${kind} ${subject} ${aspect}: --seed ${seed} --profile ${profile} --parents ${named.parents}: ${detail}`,
        );
      }
    });
    evolution.commit(begin, parents, news);
    const { user, system } = process.cpuUsage(begun);
    rows.push({
      programs: begin + ROUND_PROGRAMS,
      seconds: (user + system) / 1e6,
      fresh,
      values: valueCount / (begin + ROUND_PROGRAMS),
      seen: seen.slice(),
    });
  }
  judge.close();
  return { rows, evolution, found };
}

const usual = measure(USUAL);
const evolved = measure(EVOLVED);
console.log("programs; usual: seconds, values, covered; evolved: the same");
usual.rows.forEach((row, r) => {
  const other = evolved.rows[r];
  const cells = ({ seconds, values: mean, fresh }) =>
    [seconds.toFixed(1).padStart(7), mean.toFixed(0).padStart(5), String(fresh).padStart(6)].join(
      "",
    );
  if ((r + 1) % Math.max(1, Math.floor(rounds / 20)) === 0)
    console.log(String(row.programs).padStart(7), cells(row), " ", cells(other));
});
const ofTime = evolved.rows.findLast(({ seconds }) => seconds <= usual.rows.at(-1).seconds);
console.log("kind: usual, evolved; evolved after the time that usual programs took");
const countIn = (seen, { begin, end }) =>
  seen.subarray(begin, end).reduce((sum, one) => sum + one, 0);
for (const kind of FEATURE_KINDS) {
  console.log(
    kind.name.padEnd(28),
    countIn(usual.rows.at(-1).seen, kind),
    countIn(evolved.rows.at(-1).seen, kind),
    ofTime && countIn(ofTime.seen, kind),
    "of",
    kind.end - kind.begin,
  );
}
const figures = evolved.evolution.figures;
console.log(
  "entries",
  figures.entries,
  "mutated",
  figures.rounds.reduce((n, { mutated }) => n + mutated, 0),
);
console.log("found", usual.found, evolved.found);

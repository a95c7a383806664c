// `fuzz run` with a planted bug, a summary and a state: for inject-failures.mjs.
//
// `node ci/faults/planted-campaign.mjs REPORTS FIRST COUNT [--resume]`

import { statusOf } from "../../build/fuzz/main.js";
import { runCampaign } from "../../build/fuzz/run/run.js";
import { subjectNamed } from "../../build/src/execute/subjects.js";

const [reports, first, count, resume] = process.argv.slice(2);

process.exitCode = await statusOf(() =>
  runCampaign({
    plan: {
      first: BigInt(first),
      count: Number(count),
      seconds: Number.POSITIVE_INFINITY,
      workers: 1,
      reports,
      json: false,
    },
    chosen: { subjects: [subjectNamed("ir-O1")], left: [] },
    drawn: null,
    profile: "usual",
    canary: "float-rule",
    findingsMax: Number.POSITIVE_INFINITY,
    resumes: resume === "--resume",
  }),
);

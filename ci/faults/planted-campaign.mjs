// `fuzz run` with a planted bug, a summary and a state: for inject-failures.mjs.
//
// `node ci/faults/planted-campaign.mjs REPORTS FIRST COUNT [--resume]`

// As fuzz/launcher.mjs has it: a module that the machine refuses to load is no stack trace.
process.on("uncaughtException", (error) => {
  if (!/^E(MFILE|IO|ROFS|NOSPC)$/.test(error.code)) throw error;
  console.error(`fuzz: this machine refuses: ${error.message}`);
  process.exit(3);
});
const { statusOf } = await import("../../build/fuzz/main.js");
const { runCampaign } = await import("../../build/fuzz/run/run.js");
const { subjectNamed } = await import("../../build/src/execute/subjects.js");

const [reports, first, count, resume] = process.argv.slice(2);

process.exitCode = await statusOf(() =>
  runCampaign({
    limits: {},
    plan: {
      first: BigInt(first),
      count: Number(count),
      seconds: Number.POSITIVE_INFINITY,
      workers: 1,
      reports,
      json: false,
    },
    chosen: { subjects: [subjectNamed("ir-O1")], left: [] },
    remote: [],
    drawn: null,
    profile: "usual",
    canary: "float-rule",
    findingsMax: Number.POSITIVE_INFINITY,
    resumes: resume === "--resume",
    again: ["planted-campaign.mjs", "--resume"],
  }),
);

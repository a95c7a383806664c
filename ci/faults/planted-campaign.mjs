// `fuzz run` with a planted bug, a summary and a state: for inject-failures.mjs and kill-fleet.mjs.
//
// `node ci/faults/planted-campaign.mjs REPORTS FIRST COUNT PROFILE [--resume] [--until PROGRAMS] [--canary NAME]
// [--subject NAME] [--store NAME] [--fleet URL]`; `--until` interrupts it there, as Ctrl-C does;
// `--fleet` lets workers of this store help.

import { readOptions } from "../options.mjs";

// As in fuzz/launcher.mjs: a module that the machine refuses to load gives a line, not a stack trace.
process.on("uncaughtException", (error) => {
  if (!/^E(MFILE|IO|ROFS|NOSPC)$/.test(error.code)) throw error;
  console.error(`fuzz: this machine refuses: ${error.message}`);
  process.exit(3);
});
const { statusOf } = await import("../../build/fuzz/main.js");
const { runCampaign } = await import("../../build/fuzz/run/run.js");
const { subjectNamed } = await import("../../build/src/execute/subjects.js");

const { Campaign } = await import("../../build/src/campaign/run/campaign.js");

const { values, positionals } = readOptions({
  allowPositionals: true,
  options: {
    resume: { type: "boolean", default: false },
    until: { type: "string" },
    canary: { type: "string", default: "float-rule" },
    subject: { type: "string", default: "ir-O1" },
    store: { type: "string" },
    fleet: { type: "string" },
  },
});
const [reports, first, count, profile] = positionals;

if (values.until !== undefined) {
  const { run } = Campaign.prototype;
  Campaign.prototype.run = function () {
    const watch = setInterval(() => {
      if (this.progress.programs < Number(values.until)) return;
      clearInterval(watch);
      this.interrupt();
    }, 20);
    watch.unref();
    return run.call(this);
  };
}

process.exitCode = await statusOf(() =>
  runCampaign({
    limits: {},
    store: values.fleet ?? values.store ?? null,
    fleet: values.fleet === undefined ? null : { interval: 10 },
    plan: {
      first: BigInt(first),
      count: Number(count),
      seconds: Number.POSITIVE_INFINITY,
      workers: 1,
      reports,
      json: false,
    },
    chosen: { subjects: [subjectNamed(values.subject)], left: [] },
    remote: [],
    drawn: null,
    profile,
    outside: [],
    isQuick: false,
    canary: values.canary,
    findingsMax: Number.POSITIVE_INFINITY,
    resumes: values.resume,
    again: ["planted-campaign.mjs", "--resume"],
  }),
);

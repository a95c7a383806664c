// Runs a campaign whose worker reaches a seed from which it never returns. Prints the worker's process id
// immediately before.

import { Campaign } from "../../build/src/campaign/run/campaign.js";
import { ScratchFolder } from "../../build/src/support/scratch-folder.js";
import { makeFolders } from "../../build/src/support/whole-file.js";

const [reports] = process.argv.slice(2);
makeFolders(reports);
new ScratchFolder();
/** Programs that it judges before it gets the one that hangs. */
const FIRST_BATCH = 4;
const nothing = () => {};
const pids = [];
const campaign = new Campaign({
  settings: { subjects: ["ir-O1"], canary: null, drawn: null, profile: "usual" },
  first: 1n,
  count: 100_000,
  seconds: Number.POSITIVE_INFINITY,
  workers: 1,
  isEnough: () => false,
  sampleCount: 0,
  roundPrograms: 512,
  from: null,
  reports,
  isReported: () => true,
  hangSeconds: 3600,
  fault: { seed: 5n, does: "hang" },
  helpers: null,
  onState: nothing,
  onFound: nothing,
  onWorker: (pid) => pids.push(pid),
  onRefusal: nothing,
});
const watch = setInterval(() => {
  if (campaign.progress.programs < FIRST_BATCH) return;
  clearInterval(watch);
  console.log(pids[0]);
}, 100);
await campaign.run();

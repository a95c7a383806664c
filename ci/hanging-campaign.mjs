// For kill-orphans.mjs: a campaign whose worker comes to a seed from which it never returns.

import { Campaign } from "../build/src/campaign/run/campaign.js";
import { ScratchFolder } from "../build/src/support/scratch-folder.js";
import { makeFolders } from "../build/src/support/whole-file.js";

const [reports] = process.argv.slice(2);
makeFolders(reports);
new ScratchFolder();
const nothing = () => {};
await new Campaign({
  settings: { subjects: ["ir-O1"], canary: null, drawn: null, profile: "usual" },
  first: 1n,
  count: 100_000,
  seconds: Number.POSITIVE_INFINITY,
  workers: 2,
  isEnough: () => false,
  sampleCount: 0,
  roundPrograms: 512,
  from: null,
  reports,
  isReported: () => true,
  hangSeconds: 3600,
  fault: { seed: 5n, does: "hang" },
  onState: nothing,
  onFound: nothing,
  onWorker: nothing,
  onRefusal: nothing,
}).run();

// Implements `fuzz worker`: helps the campaigns of a store.

import { availableParallelism } from "node:os";
import { FleetWorker } from "../src/fleet/fleet-worker.js";
import { buildVersion } from "../src/store/build-version.js";
import { ScratchFolder } from "../src/support/scratch-folder.js";
import { printAnswer } from "./answers/print-answer.js";
import { parseCount } from "./support/arguments.js";
import { onEndingSignals } from "./support/ending-signals.js";
import { printAside, printLine, STATUS } from "./support/output.js";
import { fleetStoreName, openStore, queryStore } from "./support/store.js";

interface WorkerArgs {
  readonly store?: string | undefined;
  readonly workers?: string | undefined;
  readonly json: boolean;
}

const WORKERS_MAX = 1024;

export async function run({ store: given, workers, json }: WorkerArgs): Promise<number> {
  const name = fleetStoreName(given, "worker");
  const processes =
    workers === undefined
      ? availableParallelism()
      : parseCount("--workers", workers, 1, WORKERS_MAX);
  const store = await openStore(name);
  const leaving = new AbortController();
  const leaveSignals = onEndingSignals(() => leaving.abort());
  const scratch = new ScratchFolder();
  try {
    const { signal } = leaving;
    const say = json ? printAside : printLine;
    const worker = new FleetWorker(store, { processes, build: buildVersion(), say, signal });
    await queryStore(() => worker.run());
    if (json) printAnswer("touchstone.worker", { store: store.shown, campaigns: worker.delivered });
  } finally {
    await store.close();
    scratch.close();
    leaveSignals();
  }
  return STATUS.nothingFound;
}

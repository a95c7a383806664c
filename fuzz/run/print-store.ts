// `fuzz stats --store`: the campaigns that a store holds, and what they have found together.

import {
  type BucketLine,
  bucketLines,
  type CampaignLine,
  campaignLines,
} from "../../src/store/overview.js";
import { printJson, printLine, printTable, STATUS } from "../support/output.js";
import { asked, openStore } from "../support/store.js";

/** @param name of the store */
export async function printStore(name: string, json: boolean): Promise<number> {
  const store = await openStore(name);
  try {
    const [campaigns, buckets] = await asked(() =>
      store.ask((db) => Promise.all([campaignLines(db), bucketLines(db)])),
    );
    if (json) printJson({ schema: "touchstone.store", version: 1, campaigns, buckets });
    else print(store.shown, campaigns, buckets);
  } finally {
    await store.close();
  }
  return STATUS.nothingFound;
}

function print(
  shown: string,
  campaigns: readonly CampaignLine[],
  buckets: readonly BucketLine[],
): void {
  printLine(`store ${shown}: ${campaigns.length} campaigns, ${buckets.length} buckets`);
  printLine("");
  const head = ["campaign", "began", "programs", "of", "per second", "found", "build", "ended"];
  printTable([head, ...campaigns.map(campaignRow)]);
  if (buckets.length === 0) return;
  printLine("");
  const columns = ["bucket", "first seen", "last seen", "campaigns", "findings", "report"];
  printTable([columns, ...buckets.map(bucketRow)]);
}

function campaignRow({ figures, ...campaign }: CampaignLine): (string | number)[] {
  const { name, beganAt, done, count, findings, build, ended } = campaign;
  const rate = figures === null ? "" : (figures.programs / figures.seconds).toFixed(1);
  const of = count ?? "any";
  return [name, timeOf(beganAt), done, of, rate, findings, build, ended ?? "not yet, or killed"];
}

const bucketRow = (bucket: BucketLine): (string | number)[] => {
  const { id, says, firstSeen, lastSeen, campaigns, findings, report } = bucket;
  const seen = [timeOf(firstSeen), timeOf(lastSeen)];
  return [`${id} ${says}`, ...seen, campaigns, findings, report ?? ""];
};

const timeOf = (time: Date): string => `${time.toISOString().slice(0, 16).replace("T", " ")}Z`;

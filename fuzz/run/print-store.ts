// Implements `fuzz stats --store`: prints the campaigns of a store, and their joint findings.

import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import {
  type BucketLine,
  bucketLines,
  type CampaignLine,
  campaignLines,
} from "../../src/store/overview.js";
import { namesIn, readReportFile, reportsOf } from "../../src/store/report-files.js";
import { makeFolders, writeWholeFolder } from "../../src/support/whole-file.js";
import { printAnswer } from "../answers/print-answer.js";
import { printLine, printTable, STATUS, usageError } from "../support/output.js";
import { openStore, queryStore } from "../support/store.js";

/**
 * Prints the store.
 * @param name the name of the store
 */
export async function printStore(name: string, json: boolean): Promise<number> {
  const store = await openStore(name, false);
  try {
    const [campaigns, buckets] = await queryStore(() =>
      store.query((db) => Promise.all([campaignLines(db), bucketLines(db)])),
    );
    if (json) printAnswer("touchstone.store", answerOf(campaigns, buckets));
    else print(store.shown, campaigns, buckets);
  } finally {
    await store.close();
  }
  return STATUS.nothingFound;
}

const answerOf = (campaigns: readonly CampaignLine[], buckets: readonly BucketLine[]) => ({
  campaigns: campaigns.map((line) => ({ ...line, beganAt: line.beganAt.toISOString() })),
  buckets: buckets.map(({ firstSeen, lastSeen, ...line }) => ({
    ...{ ...line, firstSeen: firstSeen.toISOString(), lastSeen: lastSeen.toISOString() },
  })),
});

/**
 * Writes the latest report of a bucket as a folder.
 * @param out the parent folder
 */
export async function copyReport(
  name: string,
  bucket: string,
  out: string,
  json: boolean,
): Promise<number> {
  const store = await openStore(name, false);
  try {
    const [report] = await queryStore(() => store.query((db) => reportsOf(db, bucket)));
    if (report === undefined) {
      throw usageError(
        `--bucket ${bucket}: the store has no report of this bucket; fuzz stats --store prints its buckets`,
      );
    }
    // the id comes from a database, so it is not used as a path
    const path = join(out, basename(report.id));
    if (existsSync(path))
      throw usageError(`${path} exists already: remove it, or name another --out`);
    const files: Record<string, Uint8Array> = {};
    for (const file of await queryStore(() => store.query((db) => namesIn(db, report)))) {
      const content = await queryStore(() =>
        store.query((db) => readReportFile(db, store.contents, report, file)),
      );
      if (content !== null) files[basename(file)] = content;
    }
    makeFolders(out);
    writeWholeFolder(path, files);
    if (json) printAnswer("touchstone.stored-report", { path });
    else printLine(path);
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

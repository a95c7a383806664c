// Tests the files that `fuzz run` writes into the folder of a campaign, and the lock of the folder.

import { createHash } from "node:crypto";
import fs, {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { lockFolder } from "../../src/support/lock-folder.js";
import { runHere } from "../support/run-here.js";

function reportsFor(t: ExecutionContext): string {
  const reports = mkdtempSync(join(tmpdir(), "touchstone-files-"));
  t.teardown(() => rmSync(reports, { recursive: true }));
  return reports;
}

const run = (reports: string, ...more: string[]) =>
  runHere([
    "run",
    "--count",
    "3",
    "--subjects",
    "ir-O1",
    "--workers",
    "1",
    "--reports",
    reports,
    ...more,
  ]);

/** Copies a finished campaign, because running one needs a worker process. */
async function endedCampaign(t: ExecutionContext): Promise<string> {
  const reports = reportsFor(t);
  if (ended === null) {
    ended = mkdtempSync(join(tmpdir(), "touchstone-ended-"));
    t.is((await run(ended)).status, 0);
  }
  cpSync(ended, reports, { recursive: true });
  return reports;
}

let ended: string | null = null;
test.after.always(() => {
  if (ended !== null) rmSync(ended, { recursive: true });
});

const folderIn = (reports: string): string => join(reports, readdirSync(reports)[0]);

test.serial("an unwritable folder is refused before anything is judged", async (t) => {
  const reports = await endedCampaign(t);
  const { accessSync } = fs;
  t.teardown(() => {
    fs.accessSync = accessSync;
    syncBuiltinESMExports();
  });
  fs.accessSync = () => {
    throw Object.assign(new Error("EROFS: refused for a test"), { code: "EROFS" });
  };
  syncBuiltinESMExports();
  const refused = await run(reports);
  t.is(refused.status, 2);
  t.is(refused.out, "");
  t.regex(
    refused.error,
    /^fuzz: .*: cannot be written: the file system is read-only; --reports names another\n$/,
  );
  const store = join(reports, "store");
  const other = await runHere(["stats", "--store", store]);
  t.is(other.status, 2);
  mkdirSync(join(store, "postgres"), { recursive: true });
  const locked = await runHere(["stats", "--store", store]);
  t.is(locked.status, 2);
  t.regex(
    locked.error,
    /^fuzz: store .*: cannot be written: the file system is read-only; name another\n$/,
  );
});

test.serial("a second campaign with the same name is refused", async (t) => {
  const reports = await endedCampaign(t);
  const release = lockFolder(folderIn(reports));
  const { status, error } = await run(reports);
  t.is(status, 2);
  t.regex(
    error,
    /^fuzz: campaign seed-1-count-3-\S+ is running already, in .*: wait for it, or end it\n$/,
  );
  release?.();
  t.is((await run(reports)).status, 0);
});

test.serial(
  "a resumed campaign prints where it continues, and removes incomplete files",
  async (t) => {
    const reports = reportsFor(t);
    const first = await run(reports, "--resume");
    t.regex(first.out, /^there is no state to continue from: it starts with its first program$/m);
    const folder = folderIn(reports);
    const files = readdirSync(folder).sort();
    t.deepEqual(files, ["progress.json", "state.json", "summary.json"]);
    mkdirSync(join(folder, "difference-0123456789ab"));
    mkdirSync(join(folder, ".difference-0123456789ab.0123456789ab.new"));
    writeFileSync(join(folder, "notes.txt"), "mine");
    const second = await run(reports, "--resume");
    t.regex(second.out, /^it continues after its first 3 programs$/m);
    t.deepEqual(readdirSync(folder).sort(), ["notes.txt", ...files]);
  },
);

test.serial("a restarted campaign prints that it was interrupted before", async (t) => {
  const reports = await endedCampaign(t);
  const path = join(folderIn(reports), "state.json");
  const { checksum: _, ...state } = JSON.parse(readFileSync(path, "utf8"));
  const { schema, version, ...body } = {
    ...state,
    committed: 2,
    tally: { ...state.tally, programs: 2 },
  };
  const checksum = createHash("sha256").update(JSON.stringify(body)).digest("hex");
  writeFileSync(path, JSON.stringify({ schema, version, checksum, ...body }));
  const { out } = await run(reports);
  t.regex(out, /^it was interrupted after its first 2 programs, and starts again$/m);
  t.regex(
    out,
    /^to continue from there instead: npx --no-install fuzz run --seed 1 --count 3 .*--resume$/m,
  );
});

test.serial("a damaged state is refused", async (t) => {
  const reports = await endedCampaign(t);
  const path = join(folderIn(reports), "state.json");
  t.true(existsSync(path));
  writeFileSync(path, readFileSync(path, "utf8").replace('"committed":3', '"committed":2'));
  const { status, error } = await run(reports, "--resume");
  t.is(status, 2);
  t.regex(error, /^fuzz: .*state\.json: its checksum is wrong: /);
  writeFileSync(path, "{}");
  const other = await run(reports, "--resume");
  t.is(other.status, 2);
  t.regex(other.error, /^fuzz: .*state\.json: expected an object with "schema"/);
});

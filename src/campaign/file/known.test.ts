// Tests known buckets: their files are checked, and a bucket is new, known or returned.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { bucketIdOf, bucketOf } from "../../report/bucket.js";
import { isReportedIn, newsOf, readKnown } from "./known.js";

const BUCKET = bucketOf({
  kind: "difference",
  subject: "x64-O2",
  aspect: "result",
  detail: "expected 1, got 2",
  cause: { stage: "optimizer", part: "narrow", rule: "narrow-shift" },
});
const OPEN = { bucket: BUCKET, owner: "somebody", says: "a shift is cut", fixed: null };

function emptyFolder(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-known-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("a bucket is named after its cause, and not after the subject that showed it", (t) => {
  t.is(BUCKET, "optimizer/narrow/narrow-shift");
});

test("an open bucket is known, a fixed one has returned, all others are new", (t) => {
  const folder = emptyFolder(t);
  const id = bucketIdOf(BUCKET);
  const write = (value: object, name = `${id}.json`): void =>
    writeFileSync(join(folder, name), JSON.stringify(value));
  t.is(newsOf(id, readKnown(folder)), "new");
  write(OPEN);
  t.is(newsOf(id, readKnown(folder)), "known");
  write({ ...OPEN, fixed: "narrow: no shift is cut" });
  t.is(newsOf(id, readKnown(folder)), "returned");
  write(OPEN, "0123456789.json");
  t.throws(() => readKnown(folder), { message: /expected the name/ });
});

test("a file that is not a known bucket is refused with its path and the expected contents", (t) => {
  const folder = emptyFolder(t);
  const id = bucketIdOf(BUCKET);
  const path = join(folder, `${id}.json`);
  const read = (text: string) => {
    writeFileSync(path, text);
    return readKnown(folder);
  };
  const refusal = (text: string): string => t.throws(() => read(text))?.message ?? "";
  for (const key of ["bucket", "owner", "says", "fixed"]) {
    const message = refusal(JSON.stringify({ ...OPEN, [key]: 5 }));
    t.true(message.startsWith(`${path}: expected "${key}"`), message);
  }
  t.is(refusal("{"), `${path}: expected JSON`);
  t.deepEqual(read(JSON.stringify(OPEN)).get(id), OPEN);
});

test("a bucket is seen where another campaign of the folder has its report", (t) => {
  const folder = emptyFolder(t);
  const [own, other] = ["own", "other"].map((name) => join(folder, name));
  const finding = { bucketId: bucketIdOf(BUCKET), canary: null };
  const write = (path: string, found: object): void => {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "finding.json"), JSON.stringify(found));
  };
  write(join(own, "difference-1"), finding);
  t.false(isReportedIn(folder, own, finding), "its own report is no earlier one");
  write(join(other, "difference-1"), { ...finding, canary: "float-rule" });
  mkdirSync(join(other, "a folder", "finding.json"), { recursive: true });
  t.false(isReportedIn(folder, own, finding), "a planted bug is another one");
  write(join(other, "difference-2"), finding);
  t.true(isReportedIn(folder, own, finding));
  t.true(isReportedIn(other, other, finding), "reports that lie in the folder itself");
});

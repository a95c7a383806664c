// Known buckets: read as if anybody had written them, and told apart from news.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { bucketIdOf, bucketOf } from "../../report/bucket.js";
import { newsOf, parseKnown, readKnown } from "./known.js";

const BUCKET = bucketOf({
  kind: "difference",
  subject: "x64-O2",
  aspect: "result",
  detail: "expected 1, got 2",
  cause: { stage: "optimizer", part: "narrow", rule: "narrow-shift" },
});
const OPEN = { bucket: BUCKET, owner: "somebody", says: "a shift is cut", fixed: null };

test("a bucket is named after its cause, and not after the subject that showed it", (t) => {
  t.is(BUCKET, "optimizer/narrow/narrow-shift/result");
});

test("what is open is known, what was fixed has returned, the rest is new", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-known-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
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

test("a file that is none says what was expected", (t) => {
  for (const key of ["bucket", "owner", "says", "fixed"]) {
    const said = parseKnown(JSON.stringify({ ...OPEN, [key]: 5 }));
    t.regex(typeof said === "string" ? said : "", new RegExp(`"${key}"`));
  }
  t.is(parseKnown("{"), "expected JSON");
  t.deepEqual(parseKnown(JSON.stringify(OPEN)), OPEN);
});

// Tests that each bucket has one report, and that no other folder remains.

import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { USUAL } from "../program/seeds.js";
import { foundAt } from "../run/found.js";
import type { FilingResult } from "./filing.js";
import { FindingFiles } from "./filings.js";

test("if two reports of one bucket are made at once, only the smaller stays", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-filings-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const report = (seed: bigint, values: number): FilingResult => {
    const path = join(folder, `difference-${seed}`);
    mkdirSync(path, { recursive: true });
    const about = {
      bucket: "optimizer/fold",
      bucketId: "b",
      news: "new",
      kind: "difference",
    } as const;
    const entry = { id: `difference-${seed}`, path, seed: String(seed), values, ...about };
    return { kind: "report", entry: { ...entry, detail: "", command: [], instances: 1 } };
  };
  for (const sizes of [
    [9, 5],
    [5, 9],
  ]) {
    const settings = { subjects: ["ir-O1"], canary: null, drawn: null, profile: USUAL };
    const filings = new FindingFiles(settings, folder);
    sizes.forEach((values, i) => {
      const seed = BigInt(i + 1);
      const found = foundAt({ seed, parents: "" }, "difference", "");
      filings.add(found, report(seed, values));
    });
    filings.removeReplaced();
    const [entry, ...others] = filings.entries;
    t.deepEqual([entry.values, entry.instances, others], [5, 2, []]);
    for (const [i, values] of sizes.entries()) {
      t.is(existsSync(join(folder, `difference-${i + 1}`)), values === 5);
    }
  }
});

test("findings of a known bug share its bucket, also without an examination", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "touchstone-filings-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const settings = { subjects: [], canary: null, drawn: null, profile: USUAL };
  const filings = new FindingFiles(settings, folder);
  for (const [i, subject] of ["llvm-O2", "llvm-O3"].entries()) {
    const seed = BigInt(i + 1);
    const found = foundAt({ seed, parents: "" }, "difference", "at 1: expected 1, got 2");
    filings.addWithoutProgram({ ...found, subject, aspect: "heap", known: "llvm-sqrt-nan" });
  }
  const [{ bucket, news, instances }, ...others] = filings.entries;
  t.deepEqual([bucket, news, instances, others], ["known bug/llvm-sqrt-nan", "known", 2, []]);
});

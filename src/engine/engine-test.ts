// Declares tests that need compilers of others. If one is missing, the test is skipped, which ava
// counts, and its title names the missing program.

import type { ExecutionContext, TestFn } from "ava";
import { assert } from "../support/assert.js";
import type { EngineSubject } from "./engine-subject.js";
import { engineNamed } from "./engines.js";

/**
 * Declares a test of that row.
 * @param test `test` or `test.serial`
 */
export function engineTest(
  test: TestFn | TestFn["serial"],
  name: string,
  title: string,
  run: (t: ExecutionContext, engine: EngineSubject) => Promise<void>,
): void {
  const engine = engineNamed(name);
  assert(engine !== null, () => `no engine is named ${name}`);
  const reason = engine.missing();
  if (reason === null) test(title, (t) => run(t, engine));
  else test.skip(`${title}: ${reason}`, (t) => t.fail());
}

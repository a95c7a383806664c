// Where libunicorn is missing tests fail, unless the machine is excused, because a suite that
// passes for having run nothing is worse than one that fails.

import type { ExecutionContext, TestFn } from "ava";
import { unicornMissing } from "./missing.js";

export type DeclareTest = (
  title: string,
  body: (t: ExecutionContext) => void | Promise<void>,
) => void;

/**
 * What declares a test that runs machine code: `test` itself, so that a missing library fails it;
 * `test.skip`, which ava counts and prints, where TOUCHSTONE_ALLOW_MISSING is 1 and it is missing.
 */
export function emulatorTest(test: TestFn): DeclareTest {
  const isExcused = process.env["TOUCHSTONE_ALLOW_MISSING"] === "1";
  return isExcused && unicornMissing() !== null ? test.skip : test;
}

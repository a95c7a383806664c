// Where libunicorn is missing tests fail, unless the machine is excused, because a suite that
// passes for having run nothing is worse than one that fails. Native runs are for x86-64 alone.

import type { ExecutionContext, TestFn } from "ava";
import { hostMissing, unicornMissing } from "./missing.js";
import type { ReferenceSubject } from "./reference-subject.js";
import { PRINCIPAL_SUBJECTS } from "./subjects.js";

export type DeclareTest = (
  title: string,
  body: (t: ExecutionContext) => void | Promise<void>,
) => void;

/**
 * What declares a test that runs machine code: `test` itself, so that a missing library fails it;
 * `test.skip`, which ava counts and prints, where TOUCHSTONE_ALLOW_MISSING is 1 and it is missing.
 */
export function emulatorTest(test: TestFn | TestFn["serial"]): DeclareTest {
  return isExcused() && unicornMissing() !== null ? test.skip : test;
}

/** The same for tests that run x86-64 code natively: another processor is always excused. */
export function hostTest(test: TestFn | TestFn["serial"]): DeclareTest {
  return isNativeExcused() ? test.skip : test;
}

/** The subjects that tests run: all, but for the native ones where the machine is another. */
export function testedSubjects(): readonly ReferenceSubject[] {
  return isNativeExcused()
    ? PRINCIPAL_SUBJECTS.filter(({ native }) => !native)
    : PRINCIPAL_SUBJECTS;
}

const isExcused = () => process.env["TOUCHSTONE_ALLOW_MISSING"] === "1";

function isNativeExcused(): boolean {
  if (process.arch !== "x64" || process.platform !== "linux") return true;
  return isExcused() && hostMissing() !== null;
}

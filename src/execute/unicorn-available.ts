// Declares tests that need libunicorn or a native processor. If libunicorn is missing, they fail
// unless the environment excuses the machine. Otherwise a suite that ran nothing would pass. Native
// runs need x86-64.

import type { ExecutionContext, TestFn } from "ava";
import { hostMissing, unicornMissing } from "./missing.js";
import type { ReferenceSubject } from "./reference-subject.js";
import { PRINCIPAL_SUBJECTS } from "./subjects.js";

export type DeclareTest = (
  title: string,
  body: (t: ExecutionContext) => void | Promise<void>,
) => void;

/**
 * Returns the function that declares a test of machine code. It is `test`, so that a missing
 * library fails the test. If TOUCHSTONE_ALLOW_MISSING is 1 and the library is missing, it is
 * `test.skip`, which ava counts and prints.
 */
export function emulatorTest(test: TestFn | TestFn["serial"]): DeclareTest {
  return isExcused() && unicornMissing() !== null ? test.skip : test;
}

/**
 * Returns the same for tests that run x86-64 code natively; another processor is always excused.
 */
export function hostTest(test: TestFn | TestFn["serial"]): DeclareTest {
  return isNativeExcused() ? test.skip : test;
}

/** Returns the subjects that tests run: all, without the native ones on another processor. */
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

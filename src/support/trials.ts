// Selects how much a test tries. `npm test` must end within minutes, so it tries a part; `ci/nightly` sets
// TOUCHSTONE_TESTS=nightly and tries the rest too. Each test states both numbers.

const IS_NIGHTLY = process.env["TOUCHSTONE_TESTS"] === "nightly";

/** Returns the first number in `npm test`, the second in `ci/nightly`. */
export const trials = (gate: number, nightly: number): number => (IS_NIGHTLY ? nightly : gate);

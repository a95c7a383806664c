// How much a test tries. `npm test` is to end within minutes, so it tries a part of what would be good;
// `ci/nightly` sets TOUCHSTONE_TESTS=nightly and tries the rest too. Both numbers stand where they are used.

const IS_NIGHTLY = process.env["TOUCHSTONE_TESTS"] === "nightly";

/** The first in `npm test`, the second in `ci/nightly`. */
export const trials = (gate: number, nightly: number): number => (IS_NIGHTLY ? nightly : gate);

// Test files that `npm test` leaves to the nightly run. Each takes seconds, and its subject changes seldom, or another
// test fails first. `npm test -- FILE` runs one at any time. docs/tests.md has the same list.

// biome-ignore format: a table
export const AT_NIGHT = [
  { file: "ci/package.test.ts",                       because: "packs and unpacks the project; the contents of the package change seldom" },
  { file: "ci/read-code.test.ts",                     because: "the disassembler reads each row of the encoders in reference/*/encodings.test.ts" },
  { file: "ci/measure/unreached.test.ts",                     because: "loads the compiler once more, with coverage by V8; a script for people" },
  { file: "ci/measure/growth/allocators.test.ts",      because: "figures; allocations are checked in reference/regalloc/stress" },
  { file: "ci/measure/growth/growth.test.ts",          because: "code that grows too fast is slow, not wrong" },
  { file: "ci/measure/bench/bench-stages.test.ts",          because: "figures" },
  { file: "ci/measure/kernels/bench-kernels.test.ts",       because: "figures; kernels.test.ts checks the results of kernels" },
  { file: "ci/measure/kernels/c-kernels.test.ts",           because: "the kernels in C, also compiled by clang" },
  { file: "ci/measure/score/score.test.ts",                 because: "builds a copy of the project; ci/planted.test.ts checks the bugs" },
  { file: "ci/measure/score/watchdog.test.ts",              because: "the watchdog of `score`, which the nightly runs" },
  { file: "reference/compile.test.ts",                because: "two compilations at once in one process, which no command does" },
  { file: "src/campaign/file/bytecode-finding.test.ts", because: "reduces a finding in traces; src/localize/traced.test.ts locates one, src/reduce/drop-words.test.ts reduces one" },
  { file: "src/campaign/file/cured-by.test.ts",       because: "the known bugs of engines, one by one" },
  { file: "src/campaign/file/locate-part.test.ts",    because: "the passes of engines, one by one" },
  { file: "src/execute/replayed-subject.test.ts",     because: "fixed-seed campaigns replay traced programs too" },
  { file: "src/prove/meanings.test.ts",               because: "changes only with the language and its proofs" },
  { file: "src/prove/rows/lir-meanings.test.ts",      because: "changes only with the rows of LIR and their proofs" },
];

const names = new Set(AT_NIGHT.map(({ file }) => file));

/** @param file a path below the project, a source or its output */
export const isAtNight = (file) => names.has(file.replace(/js$/, "ts"));

// The subjects of the reference compiler: its ways to compile and run a program. One row each; another
// kind of subject is one more file with an `open` of its own, and its rows here. A name says
// `<where>-<level>[-<allocator>][-pieces][-chaos]`.

import { LEVELS, type Level } from "../../reference/levels.js";
import { LEVEL_ALLOCATORS } from "../../reference/pipeline.js";
import { ALLOCATOR_NAMES, type AllocatorName } from "../../reference/regalloc/allocator-names.js";
import { TARGET_NAMES } from "../../reference/target/target.js";
import type { Compilation } from "./compilation.js";
import { openEmulated, openNative } from "./compiled-subject.js";
import { openInterpreted } from "./interpreted-subject.js";
import { openLir } from "./lir-subject.js";
import { hostMissing, unicornMissing } from "./missing.js";
import { type ReferenceSubject, referenceSubject } from "./reference-subject.js";

const nothing = (): null => null;

/** Where a program runs, and what a row there has in common. */
// biome-ignore format: a table
const PLACES = {
  ir:    { target: null,    native: false, missing: nothing,        open: openInterpreted },
  x64:   { target: "x64",   native: false, missing: unicornMissing, open: openEmulated },
  arm64: { target: "arm64", native: false, missing: unicornMissing, open: openEmulated },
  host:  { target: "x64",   native: true,  missing: hostMissing,    open: openNative },
  "lir-x64":     { target: "x64",   native: false, missing: nothing, open: openLir("lower") },
  "lir-arm64":   { target: "arm64", native: false, missing: nothing, open: openLir("lower") },
  "alloc-x64":   { target: "x64",   native: false, missing: nothing, open: openLir("allocate") },
  "alloc-arm64": { target: "arm64", native: false, missing: nothing, open: openLir("allocate") },
} as const;
type Place = keyof typeof PLACES;

function subject(
  where: Place,
  level: Level,
  allocator: AllocatorName | null,
  chaos: boolean,
  pieces = false,
): ReferenceSubject {
  const name = [where, level, allocator, pieces ? "pieces" : null, chaos ? "chaos" : null]
    .filter((part) => part !== null)
    .join("-");
  const { open, ...place } = PLACES[where];
  return referenceSubject({ name, where, level, allocator, pieces, chaos, ...place }, open);
}

/** Those that let each level allocate as it does. */
export const PRINCIPAL_SUBJECTS: readonly ReferenceSubject[] = [
  subject("ir", "O1", null, false),
  subject("ir", "O2", null, false),
  subject("ir", "O2", null, true),
  ...TARGET_NAMES.flatMap((target) => [
    ...LEVELS.map((level) => subject(target, level, null, false)),
    subject(target, "O2", null, true),
  ]),
  ...LEVELS.map((level) => subject("host", level, null, false)),
];

/** Compiled and emulated, each with every allocator: null is the level's own. */
const CELLS = PRINCIPAL_SUBJECTS.filter(({ target, native }) => target !== null && !native).flatMap(
  ({ target, level, chaos }) =>
    [null, ...ALLOCATOR_NAMES.filter((name) => name !== LEVEL_ALLOCATORS[level])].map(
      (allocator) => ({ place: target ?? ("ir" as const), level, allocator, chaos }),
    ),
);

/** The same code with registers given by another allocator than the level's own. */
const OTHER_ALLOCATORS: readonly ReferenceSubject[] = CELLS.filter(
  ({ allocator }) => allocator !== null,
).map(({ place, level, allocator, chaos }) => subject(place, level, allocator, chaos));

/** Each of these again, with values of 64 bits in pieces. */
const IN_PIECES: readonly ReferenceSubject[] = CELLS.map(({ place, level, allocator, chaos }) =>
  subject(place, level, allocator, chaos, true),
);

export const SUBJECTS: readonly ReferenceSubject[] = [
  ...PRINCIPAL_SUBJECTS,
  ...OTHER_ALLOCATORS,
  ...IN_PIECES,
];

/** LIR in its interpreter, before and after allocation: to locate a bug, and only where they are named. */
const LIR_SUBJECTS: readonly ReferenceSubject[] = SUBJECTS.flatMap(
  ({ target, native, level, allocator, chaos, pieces }) =>
    target === null || native
      ? []
      : [
          ...(allocator === null ? [subject(`lir-${target}`, level, null, chaos, pieces)] : []),
          subject(`alloc-${target}`, level, allocator, chaos, pieces),
        ],
);

/** Every subject that has a name. */
export const ALL_SUBJECTS: readonly ReferenceSubject[] = [...SUBJECTS, ...LIR_SUBJECTS];

export const subjectNamed = (name: string): ReferenceSubject | null =>
  ALL_SUBJECTS.find((subject) => subject.name === name) ?? null;

/** The one that runs where this one does, and compiles otherwise in what is given; null if there is none. */
export function subjectLike(
  subject: ReferenceSubject,
  other: Partial<Compilation>,
): ReferenceSubject | null {
  const { where, level, target, allocator, pieces, chaos } = { ...subject, ...other };
  const found = ALL_SUBJECTS.find(
    (each) =>
      each.where === where &&
      each.level === level &&
      each.target === target &&
      each.allocator === allocator &&
      each.pieces === pieces &&
      each.chaos === chaos,
  );
  return found ?? null;
}

// Lists the subjects of the reference compiler, one row each. To add a kind of subject, write a
// file with an `open` and add its rows here. The form of a name is
// `<where>-<level>[-<allocator>][-halves][-chaos]`.

import { LEVELS, type Level } from "../../reference/levels.js";
import { LEVEL_ALLOCATORS } from "../../reference/pipeline.js";
import { ALLOCATOR_NAMES, type AllocatorName } from "../../reference/regalloc/allocator-names.js";
import { TARGET_NAMES } from "../../reference/target/target.js";
import type { CompilationSettings } from "./compilation.js";
import { openEmulated, openNative, openSimulated, openSimulatedSteps } from "./compiled-subject.js";
import { openEquivalent } from "./equivalent-subject.js";
import { openInterpreted } from "./interpreted-subject.js";
import { openLir } from "./lir-subject.js";
import { hostMissing, unicornMissing } from "./missing.js";
import {
  type ReferenceSubject,
  referenceSubject,
  type SubjectOpener,
} from "./reference-subject.js";
import { openReplayed } from "./replayed-subject.js";
import { openTraced } from "./traced-subject.js";

const nothing = (): null => null;

/** The common part of the rows of each place of execution. */
// biome-ignore format: a table
const PLACES = {
  ir:    { target: null,    native: false, missing: nothing,        open: openInterpreted, traced: false },
  x64:   { target: "x64",   native: false, missing: unicornMissing, open: openEmulated, traced: false },
  arm64: { target: "arm64", native: false, missing: unicornMissing, open: openEmulated, traced: false },
  host:  { target: "x64",   native: true,  missing: hostMissing,    open: openNative, traced: false },
  // Interpreted; the rest of the name is the subject that runs the traces.
  "traced-ir":    { target: null,    native: false, missing: nothing,        open: openTraced(openInterpreted), traced: true },
  "traced-x64":   { target: "x64",   native: false, missing: unicornMissing, open: openTraced(openEmulated), traced: true },
  "traced-arm64": { target: "arm64", native: false, missing: unicornMissing, open: openTraced(openEmulated), traced: true },
  equivalent: { target: null, native: false, missing: nothing, open: openEquivalent, traced: false },
  "lir-x64":     { target: "x64",   native: false, missing: nothing, open: openLir("lower"), traced: false },
  "lir-arm64":   { target: "arm64", native: false, missing: nothing, open: openLir("lower"), traced: false },
  "alloc-x64":   { target: "x64",   native: false, missing: nothing, open: openLir("allocate"), traced: false },
  "alloc-arm64": { target: "arm64", native: false, missing: nothing, open: openLir("allocate"), traced: false },
} as const;
type SubjectLocation = keyof typeof PLACES;

const openNativeIfAny: SubjectOpener = (subject, workshop) =>
  (hostMissing() === null ? openNative : openEmulated)(subject, workshop);

/** The `open` that runs the same code faster: in this process, or on the processor. */
const QUICK_OPENS: Partial<Record<SubjectLocation, SubjectOpener>> = {
  arm64: openSimulated,
  "traced-ir": openReplayed(openInterpreted, openInterpreted),
  "traced-x64": openReplayed(openEmulated, openNativeIfAny),
  "traced-arm64": openReplayed(openEmulated, openSimulatedSteps),
};

function subject(
  where: SubjectLocation,
  level: Level,
  allocator: AllocatorName | null,
  chaos: boolean,
  halves = false,
): ReferenceSubject {
  const name = [where, level, allocator, halves ? "halves" : null, chaos ? "chaos" : null]
    .filter((part) => part !== null)
    .join("-");
  const { open, ...place } = PLACES[where];
  const facts = { name, where, level, allocator, halves, chaos, ...place };
  if (where === "x64")
    return referenceSubject({ ...facts, quicker: () => nativeFormOf(name) }, open);
  const quicker = QUICK_OPENS[where];
  if (quicker === undefined) return referenceSubject(facts, open);
  return referenceSubject({ ...facts, quicker: () => referenceSubject(facts, quicker) }, open);
}

/**
 * Returns the native subject with the code of an emulated one; null if this machine cannot run it.
 */
function nativeFormOf(name: string): ReferenceSubject | null {
  const native = subjectNamed(name.replace(/^x64/, "host"));
  return native === null || native.missing() !== null ? null : native;
}

/** The subjects that use the allocator of the level. */
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

/**
 * All compiled and emulated subjects, each with every allocator; null is the allocator of the
 * level.
 */
const CELLS = PRINCIPAL_SUBJECTS.filter(({ target, native }) => target !== null && !native).flatMap(
  ({ target, level, chaos }) =>
    [null, ...ALLOCATOR_NAMES.filter((name) => name !== LEVEL_ALLOCATORS[level])].map(
      (allocator) => ({ place: target ?? ("ir" as const), level, allocator, chaos }),
    ),
);

/** Subjects with another allocator than that of the level. */
const OTHER_ALLOCATORS: readonly ReferenceSubject[] = CELLS.filter(
  ({ allocator }) => allocator !== null,
).map(({ place, level, allocator, chaos }) => subject(place, level, allocator, chaos));

/** The same subjects with 64-bit values in halves. */
const IN_HALVES: readonly ReferenceSubject[] = CELLS.map(({ place, level, allocator, chaos }) =>
  subject(place, level, allocator, chaos, true),
);

export const SUBJECTS: readonly ReferenceSubject[] = [
  ...PRINCIPAL_SUBJECTS,
  subject("equivalent", "O0", null, false),
  ...OTHER_ALLOCATORS,
  ...IN_HALVES,
];

/**
 * Subjects that interpret LIR before or after allocation. They serve to locate a bug and run only
 * if they are named.
 */
const LIR_SUBJECTS: readonly ReferenceSubject[] = SUBJECTS.flatMap(
  ({ target, native, level, allocator, chaos, halves }) =>
    target === null || native
      ? []
      : [
          ...(allocator === null ? [subject(`lir-${target}`, level, null, chaos, halves)] : []),
          subject(`alloc-${target}`, level, allocator, chaos, halves),
        ],
);

/**
 * Returns the subject that traces, and runs traces as `place` runs programs; null for native ones.
 */
function tracedBy(place: ReferenceSubject): ReferenceSubject | null {
  const { where, level, allocator, chaos, halves } = place;
  const traced = `traced-${where}`;
  return isSubjectPlace(traced) ? subject(traced, level, allocator, chaos, halves) : null;
}

const isSubjectPlace = (name: string): name is SubjectLocation => Object.hasOwn(PLACES, name);

/** Traces as they were recorded, and a traced subject for each of the others. */
export const TRACED_SUBJECTS: readonly ReferenceSubject[] = [
  subject("traced-ir", "O0", null, false),
  ...SUBJECTS.flatMap((place) => tracedBy(place) ?? []),
];

/**
 * The native forms of the other x64 subjects. They run if they are named, or instead of the
 * emulated subject.
 */
const NATIVE_SUBJECTS: readonly ReferenceSubject[] = SUBJECTS.filter(
  ({ where, allocator, halves, chaos }) =>
    where === "x64" && (allocator !== null || halves || chaos),
).map(({ level, allocator, halves, chaos }) => subject("host", level, allocator, chaos, halves));

/** Every subject that has a name. */
export const ALL_SUBJECTS: readonly ReferenceSubject[] = [
  ...SUBJECTS,
  ...TRACED_SUBJECTS,
  ...NATIVE_SUBJECTS,
  ...LIR_SUBJECTS,
];

export const subjectNamed = (name: string): ReferenceSubject | null =>
  ALL_SUBJECTS.find((subject) => subject.name === name) ?? null;

/**
 * Returns the subject that runs in the same place and differs in the given properties; null if
 * there is none.
 */
export function subjectLike(
  subject: ReferenceSubject,
  other: Partial<CompilationSettings>,
): ReferenceSubject | null {
  const { where, level, target, allocator, halves, chaos } = { ...subject, ...other };
  const found = ALL_SUBJECTS.find(
    (each) =>
      each.where === where &&
      each.level === level &&
      each.target === target &&
      each.allocator === allocator &&
      each.halves === halves &&
      each.chaos === chaos,
  );
  return found ?? null;
}

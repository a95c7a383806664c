// Simplifies how a program is compiled while it still shows its signature. Chaos is replaced by the settings that it
// has drawn, unneeded settings are removed, the order of phases becomes shorter, and the subject loses the parts of its
// name after target and level.

import { orderFault, phasesOf } from "../../reference/optimize.js";
import { PIPELINES } from "../../reference/pipeline.js";
import type { CompilationSettings } from "../execute/compilation.js";
import type { ReferenceSubject } from "../execute/reference-subject.js";
import { subjectLike } from "../execute/subjects.js";
import { chaoticSettings, DEFAULT_SETTINGS, type OptimizeSettings } from "../execute/unit.js";
import { type Thresholds, thresholdsOfSeed, USUAL_THRESHOLDS } from "../record/thresholds.js";

export interface CompilerConfiguration {
  readonly subject: ReferenceSubject;
  readonly settings: OptimizeSettings;
}

/**
 * Simplifies the compiler configuration of a finding: fewer settings, a simpler subject.
 * @param holds returns whether the program is still interesting if compiled that way; called in
 * order
 */
export function reduceWay(
  start: CompilerConfiguration,
  holds: (way: CompilerConfiguration) => boolean,
): CompilerConfiguration {
  let way = start;
  const attempt = (next: CompilerConfiguration | null): boolean => {
    if (next === null || !holds(next)) return false;
    way = next;
    return true;
  };
  // The thresholds that the chaos number draws for traces become explicit, so that the number can be removed.
  if (way.subject.traced) way = set(way, { thresholds: thresholdsOf(way.settings) });
  if (way.subject.chaos) {
    const settings = unlimited(way.settings);
    if (!attempt(subjectVariant(way, { chaos: false }, settings))) {
      attempt(subjectVariant(way, { chaos: false }, chaoticSettings(way.settings)));
    }
  }
  attempt(subjectVariant(way, { halves: false }, way.settings));
  attempt(subjectVariant(way, { allocator: null }, way.settings));
  // If chaos remains, its number determines all that it draws: no settings remain to simplify.
  if (way.subject.chaos) return way;
  for (const [name, nothing] of Object.entries(DEFAULTS)) {
    const key = name as keyof typeof DEFAULTS; // the keys of the object above
    if (way.settings[key] !== nothing) attempt(set(way, { [key]: nothing }));
  }
  if (way.settings.thresholds !== null) reduceThresholds(way.settings.thresholds);
  if (way.settings.disabled.size > 0) reduceDisabled();
  if (way.settings.phases !== null) reducePhases(way.settings.phases);
  return way;

  function reduceDisabled(): void {
    if (attempt(set(way, { disabled: new Set() }))) return;
    // Bisect the list: remove each half, then each quarter, and so on, if it is not needed.
    for (let size = way.settings.disabled.size >> 1; size >= 1; size >>= 1) {
      for (let end = way.settings.disabled.size; end > 0; end -= size) {
        const names = [...way.settings.disabled];
        names.splice(Math.max(0, end - size), size);
        attempt(set(way, { disabled: new Set(names) }));
      }
    }
  }

  /** Resets the thresholds to the defaults, all together or one by one. */
  function reduceThresholds(drawn: Thresholds): void {
    if (attempt(set(way, { thresholds: USUAL_THRESHOLDS }))) return;
    let thresholds = drawn;
    for (const name of Object.keys(drawn) as (keyof Thresholds)[]) {
      // `Object.keys` returns the keys of a Thresholds object.
      const next = { ...thresholds, [name]: USUAL_THRESHOLDS[name] };
      if (thresholds[name] !== next[name] && attempt(set(way, { thresholds: next }))) {
        thresholds = next;
      }
    }
  }

  function reducePhases(drawn: readonly string[]): void {
    if (attempt(set(way, { phases: null }))) return;
    let names = drawn;
    for (let at = names.length - 1; at >= 0; at--) {
      const fewer = names.filter((_, i) => i !== at);
      if (orderFault(phasesOf(fewer)) === null && attempt(set(way, { phases: fewer })))
        names = fewer;
    }
  }
}

/**
 * Lists configurations with which the compiler generates more code from the same program. If a
 * difference needs much code (a far branch, a large frame), a smaller program then shows it. These
 * configurations are simplified afterwards like any other.
 */
export function harderWays({ subject, settings }: CompilerConfiguration): CompilerConfiguration[] {
  if (subject.target === null || subject.chaos) return [];
  const phases = settings.phases ?? PIPELINES[subject.level].map(({ phase }) => phase);
  const way = { subject, settings };
  return [
    set(way, { pressure: HARDEST }),
    ...COPIES.map((copies) => set(way, { phases: withCopies(phases, copies) })),
    ...COPIES.map((copies) => set(way, { pressure: HARDEST, phases: withCopies(phases, copies) })),
  ];
}

/** The most difficult allocation: two registers, and every instruction destroys others. */
const HARDEST = { registers: 2, ghosts: 1, places: 0, reorders: false, seed: 0n };

/** Lists of phases that copy code, from much to little. */
const COPIES = [
  ["version-loops", "unroll-loop", "version-loops", "unroll-loop"],
  ["version-loops"],
  ["unroll-loop"],
] as const;

/** Returns the phases with the given ones inserted as late as the order permits. */
function withCopies(phases: readonly string[], copies: readonly string[]): readonly string[] {
  for (let at = phases.length; at > 0; at--) {
    const longer = phases.toSpliced(at, 0, ...copies, "canonicalize-phis");
    if (orderFault(phasesOf(longer)) === null) return longer;
  }
  return phases;
}

const DEFAULTS = { pressure: null, branchReach: null, halves: false } as const;

const unlimited = ({
  verify,
  plant,
  tracingFault,
  thresholds,
  applicationsMax,
}: OptimizeSettings): OptimizeSettings => ({
  ...DEFAULT_SETTINGS,
  applicationsMax,
  thresholds,
  verify,
  ...(plant === undefined ? {} : { plant }),
  ...(tracingFault === undefined ? {} : { tracingFault }),
});

const thresholdsOf = ({ thresholds, chaos }: OptimizeSettings): Thresholds =>
  thresholds ?? thresholdsOfSeed(chaos);

const set = (
  { subject, settings }: CompilerConfiguration,
  some: Partial<OptimizeSettings>,
): CompilerConfiguration => ({
  subject,
  settings: { ...settings, ...some },
});

/** Returns the subject that is compiled differently and runs in the same place; null if there is no other. */
function subjectVariant(
  { subject }: CompilerConfiguration,
  other: Partial<CompilationSettings>,
  settings: OptimizeSettings,
) {
  const found = subjectLike(subject, other);
  return found === null || found.name === subject.name ? null : { subject: found, settings };
}

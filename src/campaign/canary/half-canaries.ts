// Canaries in the code for 64-bit values in two registers: only subjects with such values show
// them.

import { PARTS } from "../../../reference/parts.js";
import { encodeExits } from "../../../reference/snapshot/encode-exits.js";
import type { ExitRecord, Location } from "../../../reference/snapshot/exit-record.js";
import type { LoweringPlan } from "../../../reference/target/plan.js";
import type { PlantedBug } from "./canary.js";

/** Splits values that arrive in one register with their halves exchanged. */
export function cutAcross(): PlantedBug {
  const across = (plan: LoweringPlan): LoweringPlan => ({
    ...plan,
    halves: [plan.halves[1], plan.halves[0]],
  });
  const { x64, arm64 } = PARTS.plans;
  return { parts: { ...PARTS, plans: { x64: across(x64), arm64: across(arm64) } } };
}

/** Exchanges the halves of split values in the exit table. */
export function exchangedHalves(): PlantedBug {
  const exchanged = (location: Location): Location =>
    location.halves === null
      ? location
      : { ...location, halves: [location.halves[1], location.halves[0]] };
  const change = (record: ExitRecord): ExitRecord => ({
    ...record,
    leaves: record.leaves.map(exchanged),
    frames: record.frames.map((frame) => ({ ...frame, slots: frame.slots.map(exchanged) })),
  });
  return { parts: { ...PARTS, encodeExits: (records) => encodeExits(records.map(change)) } };
}

// Patterns of bugs that are about atomic operations.

import { writesAnyHeap } from "../../../reference/optimize/analysis/alias.js";
import { Op, type Opcode } from "../../ir/opcodes.js";
import { accessSize, isAtomic, type Value } from "../../ir/procedure.js";
import { isLoad, isStore, meet, sum, unsigned } from "./ask.js";
import type { Detector } from "./study.js";

const STRONG: ReadonlySet<Opcode> = new Set([Op.AtomicStrongCAS8, Op.AtomicStrongCAS16]);
const OF_BYTES: ReadonlySet<Opcode> = new Set([Op.AtomicStrongCAS8, Op.AtomicWeakCAS8]);

const compares = (value: Value): boolean => isAtomic(value) && value.c !== null;

/** A load behind a comparison with its place, of which a store in front says what was there. */
export const comparedBetween: Detector = (study) =>
  sum(study, (atomic, view) => {
    const { block } = atomic;
    if (block === null || !compares(atomic)) return 0;
    const at = view.placeOf(atomic);
    const isMet = (value: Value): boolean => meet(atomic, value);
    const isStored = block.values.slice(0, at).some((value) => isStore(value) && isMet(value));
    const load = block.values.slice(at).find((value) => isLoad(value) && isMet(value));
    return isStored && load !== undefined ? view.times(load, ({ matters }) => matters) : 0;
  });

/** What is expected has bits above the width, which must not be among what the comparison gives. */
export const expectedBeyondWidth: Detector = (study) =>
  sum(study, (atomic, view) => {
    const { a, opcode } = atomic;
    if (a === null || !STRONG.has(opcode)) return 0;
    return view.times(atomic, (event) => {
      const expected = event.integer(a);
      return event.matters && expected !== null && isBeyond(atomic, expected);
    });
  });

/** The same of a byte, whatever the comparison gives. */
export const comparedBeyondWidth: Detector = (study) =>
  sum(study, (atomic, view) => {
    const { a, opcode } = atomic;
    if (a === null || !OF_BYTES.has(opcode)) return 0;
    return view.times(atomic, (event) => {
      const expected = event.integer(a);
      return event.matters && expected !== null && isBeyond(atomic, expected);
    });
  });

const isBeyond = (atomic: Value, expected: bigint): boolean =>
  atomic.a !== null && unsigned(atomic.a, expected) >> BigInt(8 * accessSize(atomic)) !== 0n;

/** A load with one user, and a call or an atomic operation between them that writes what it reads. */
export const writtenBeforeUse: Detector = (study) =>
  sum(study, (load, view) => {
    const { block } = load;
    const [user, ...more] = view.users(load);
    if (load.opcode !== Op.Load || block === null) return 0;
    if (user === undefined || more.length > 0 || user.block !== block) return 0;
    const between = block.values.slice(view.placeOf(load) + 1, view.placeOf(user));
    const isWritten = between.some((value) =>
      isAtomic(value) ? meet(value, load) : writesAnyHeap(value),
    );
    return isWritten ? view.times(load, ({ matters }) => matters) : 0;
  });

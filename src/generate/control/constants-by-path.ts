// Emits constants that depend on the path to the Switch or the loop that uses them. A fact about
// one path does not hold on the other. A number may agree with a key in one half only.

import { Op } from "../../ir/opcodes.js";
import type { BasicBlock, Value } from "../../ir/procedure.js";
import { Int32, Int64, isFloating, type Type } from "../../ir/types.js";
import type { WordPair } from "../../ir/words.js";
import { compare } from "../maker/conditions.js";
import { drawBoundary, drawRelated } from "../maker/constants.js";
import { twoArms } from "../maker/joins.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { combine, observe } from "../maker/observe.js";
import { oneOf } from "../maker/rows.js";
import { drawInteger, drawType } from "../maker/swarm.js";
import { switchArms } from "../maker/switches.js";

const KEYS_MAX = 4;

/**
 * Emits paths that each provide a key, a number related to one, or another value, followed by a
 * Switch on it.
 */
export function switchOnPaths(maker: ProcedureMaker): void {
  const type = drawInteger(maker.source, maker.swarm);
  const isSame = ([lo, hi]: WordPair, [low, high]: WordPair): boolean =>
    lo === low && (type === Int32 || hi === high);
  const keys: WordPair[] = [];
  for (let count = 1 + maker.below(KEYS_MAX); count > 0; count--) {
    const isBound = keys.length > 0 && maker.chance(40);
    const drawn = isBound
      ? drawRelated(maker.source, type, oneOf(maker, keys))
      : maker.chance(50)
        ? ([maker.below(8), 0] as const)
        : drawBoundary(maker.source, type);
    if (!keys.some((key) => isSame(key, drawn))) keys.push(drawn);
  }
  const arm = (): readonly Value[] => {
    const roll = maker.below(5);
    if (roll === 0) return [maker.pick(type)];
    const key = oneOf(maker, keys);
    return [maker.constantOf(type, ...(roll < 3 ? key : similarTo(maker, type, key)))];
  };
  const inner = (): readonly Value[] =>
    maker.chance(30) ? twoArms(maker, compare(maker), [arm, arm], [type]) : arm();
  const [phi] = twoArms(maker, compare(maker), [inner, arm], [type]);
  observe(
    maker,
    switchArms(maker, phi, keys, 1 + keys.length, (arm) => maker.integer(Int32, arm)),
  );
}

/** Returns a number related to the key; often only the lower half is equal. */
function similarTo(maker: ProcedureMaker, type: Type, [lo, hi]: WordPair): WordPair {
  const isHalf = type === Int64 && maker.chance(50);
  return isHalf ? [lo, hi ^ (1 << maker.below(32))] : drawRelated(maker.source, type, [lo, hi]);
}

/** Emits a short loop with two entry paths, each with its own initial counter. */
export function startByPath(maker: ProcedureMaker): void {
  const { proc } = maker;
  const type = maker.swarm.hasType[Int64] && maker.chance(30) ? Int64 : Int32;
  const flag = compare(maker);
  const [left, right, header, exit] = Array.from({ length: 4 }, () => proc.newBlock());
  const counter = proc.newValue(Op.Phi, type);
  const sum = proc.newValue(Op.Phi, drawType(maker.source, maker.swarm));
  maker.branch(flag, left, right);
  const enterBy = (path: BasicBlock): void => {
    const scope = maker.mark();
    maker.block = path;
    maker.upsilon(maker.integer(type, maker.below(5)), counter);
    maker.upsilon(maker.pick(sum.type), sum);
    maker.jump(header);
    maker.release(scope);
  };
  enterBy(left);
  enterBy(right);
  maker.block = header;
  maker.place(counter, false);
  maker.place(sum, isFloating(sum.type));
  const added = combine(maker, sum, counter);
  added.uses = 0;
  const next = maker.append(Op.Add, type, counter, maker.integer(type, 1 + maker.below(2)));
  const limit = maker.integer(type, 3 + maker.below(4));
  const continues = maker.append(Op.LessThan, Int32, maker.chance(60) ? next : counter, limit);
  maker.upsilon(next, counter);
  maker.upsilon(added, sum);
  maker.branch(continues, header, exit);
  maker.block = exit;
  observe(maker, added);
}

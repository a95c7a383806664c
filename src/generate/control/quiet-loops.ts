// Emits loops of one block without effects: a compiler may remove them if their results are unused.

import { Op, type Opcode } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { isFloating } from "../../ir/types.js";
import { neverTrue } from "../maker/conditions.js";
import { enter, newPhis, reserved } from "../maker/joins.js";
import type { ProcedureMaker } from "../maker/maker.js";
import { observe } from "../maker/observe.js";
import { drawInteger } from "../maker/swarm.js";

/** Appends a loop that counts down to 0, or one that never repeats. */
export function makeQuietLoop(maker: ProcedureMaker): void {
  if (maker.chance(8)) {
    makeSingleIteration(maker);
    return;
  }
  const { proc } = maker;
  const type = drawInteger(maker.source, maker.swarm);
  const counter = proc.newValue(Op.Phi, type);
  const carried = newPhis(maker, 1 + maker.below(2));
  const exitPhis = maker.chance(30) ? newPhis(maker, 1) : [];
  maker.upsilon(maker.integer(type, 1 + maker.below(7)), counter);
  for (const phi of [...carried, ...exitPhis]) maker.upsilon(maker.pick(phi.type), phi);
  const header = proc.newBlock();
  const exit = proc.newBlock();
  maker.jump(header);
  const scope = maker.mark();
  enter(maker, header, [counter, ...carried]);
  const next = maker.append(Op.Sub, type, counter, maker.integer(type, 1));
  const given = carried.map((phi) => nextOf(maker, phi));
  if (maker.chance(15)) observe(maker, given[0]);
  for (const phi of exitPhis) maker.upsilon(maker.pick(phi.type), phi);
  maker.upsilon(next, counter);
  carried.forEach((phi, i) => maker.upsilon(given[i], phi));
  maker.branch(next, header, exit);
  // The code after the loop may use its results, or not.
  if (maker.chance(50)) maker.release(scope);
  enter(maker, exit, exitPhis);
}

// Emits a loop that carries no value: its only iteration writes a variable, which the next block
// reads.
function makeSingleIteration(maker: ProcedureMaker): void {
  const { proc } = maker;
  const left = newPhis(maker, 1);
  const given = left.map((phi) => reserved(maker.pick(phi.type)));
  if (maker.chance(50)) for (const phi of left) maker.upsilon(maker.pick(phi.type), phi);
  const flag = neverTrue(maker);
  const [header, exit] = [proc.newBlock(), proc.newBlock()];
  maker.jump(header);
  maker.block = header;
  left.forEach((phi, i) => maker.upsilon(given[i], phi));
  maker.branch(flag, header, exit);
  enter(maker, exit, left);
}

function nextOf(maker: ProcedureMaker, phi: Value): Value {
  const opcodes = isFloating(phi.type) ? OF_FLOATS : OF_INTEGERS;
  const opcode = opcodes[maker.below(opcodes.length)];
  return maker.emit(opcode, phi.type, phi, maker.pickBeside(phi.type, phi));
}
const OF_INTEGERS: readonly Opcode[] = [Op.Add, Op.Sub, Op.Mul, Op.BitXor];
const OF_FLOATS: readonly Opcode[] = [Op.Add, Op.Sub, Op.Mul];

// Writes the blocks of a function: Phis, branches and returns (LangRef, "phi Instruction", "Terminator Instructions").

import { Op } from "../../ir/opcodes.js";
import { type BasicBlock, SwitchCases, type Value } from "../../ir/procedure.js";
import { Int32, Void } from "../../ir/types.js";
import { SWITCH_CASES_MAX } from "../../ir/verify/verify-rows.js";
import { LlvmError, outside } from "../../llvm/llvm-error.js";
import type { LlvmBlock, LlvmFunction, LlvmInstruction, TypedOperand } from "../../llvm/module.js";
import type { FunctionContext } from "./context.js";
import { writeInstruction } from "./instructions.js";
import { BYTE_STATES, CELLS } from "./layout.js";
import { type LlvmScalars, registerType, scalarsOf } from "./leaves.js";
import { fillStates } from "./memory.js";
import { operandLeaf, operandLeaves } from "./operands.js";

const TERMINATORS = new Set(["br", "switch", "ret", "unreachable"]);

/** The Phis of a block: a variable for each scalar, and one for its poison. */
interface BlockPhis {
  readonly instruction: LlvmInstruction;
  readonly leaves: LlvmScalars;
}

interface OpenBlock {
  readonly llvm: LlvmBlock;
  readonly block: BasicBlock;
  readonly phis: readonly BlockPhis[];
}

/** Writes the end of a function. */
export type ReturnWriter = (c: FunctionContext, leaves: LlvmScalars) => void;

/** Writes the body after what the current block holds. */
export function writeBody(c: FunctionContext, finish: ReturnWriter): void {
  const { e, called } = c;
  const blocks = called.blocks ?? [];
  const byName = new Map(blocks.map((block) => [block.name, block]));
  const order = reversePostorder(blocks, byName);
  const poison = poisonNames(called);
  const open = new Map<string, OpenBlock>();
  order.forEach((llvm, i) => {
    const block = i === 0 ? e.block : e.proc.newBlock();
    open.set(llvm.name, { llvm, block, phis: phisOf(c, llvm, poison) });
  });
  for (const { llvm, block, phis } of open.values()) {
    e.block = block;
    for (const { leaves } of phis)
      for (const { value, poison: flag } of leaves) place(e, value, flag);
    const { instructions } = llvm;
    const last = instructions.at(-1);
    const at = instructions.findIndex(({ opcode }) => TERMINATORS.has(opcode));
    if (last === undefined || at !== instructions.length - 1)
      throw new LlvmError(
        last?.line ?? called.line,
        `the block ${llvm.name} does not end in one terminator`,
      );
    for (const instruction of instructions.slice(phis.length, -1)) define(c, instruction);
    e.line = last.line;
    writeTerminator(c, llvm, last, open, finish);
  }
}

function define(c: FunctionContext, instruction: LlvmInstruction): void {
  if (instruction.opcode === "phi")
    throw new LlvmError(instruction.line, "expected Phis only at the begin of a block");
  const leaves = writeInstruction(c, instruction);
  if (instruction.result === null) return;
  if (leaves === null)
    throw new LlvmError(instruction.line, "expected an instruction with a result");
  c.frame.set(instruction.result, leaves);
}

function place(e: FunctionContext["e"], ...phis: readonly (Value | null)[]): void {
  for (const phi of phis) {
    if (phi === null) continue;
    e.block.append(phi);
  }
}

function phisOf(c: FunctionContext, llvm: LlvmBlock, poison: ReadonlySet<string>): BlockPhis[] {
  const { e, frame } = c;
  const end = llvm.instructions.findIndex(({ opcode }) => opcode !== "phi");
  return llvm.instructions.slice(0, Math.max(end, 0)).map((instruction) => {
    const { result, type, line } = instruction;
    if (result === null) throw new LlvmError(line, "expected a Phi with a result");
    const leaves = scalarsOf(type, line).map(({ type: scalar }) => ({
      value: e.proc.newValue(Op.Phi, registerType(scalar, line)),
      poison: poison.has(result) ? e.proc.newValue(Op.Phi, Int32) : null,
    }));
    frame.set(result, leaves);
    return { instruction, leaves };
  });
}

function writeTerminator(
  c: FunctionContext,
  from: LlvmBlock,
  instruction: LlvmInstruction,
  open: ReadonlyMap<string, OpenBlock>,
  finish: ReturnWriter,
): void {
  const { e } = c;
  const { opcode, operands, labels = [], keys = [], line } = instruction;
  if (opcode === "unreachable") {
    e.leave("unreachable code");
    return;
  }
  if (opcode === "ret") {
    const leaves = operands.length === 0 ? [] : operandLeaves(c, operands[0]);
    checkReturned(c, leaves);
    finish(c, leaves);
    return;
  }
  const targets = labels.map((label) => {
    const target = open.get(label);
    if (target === undefined) throw new LlvmError(line, `expected a block, found %${label}`);
    return target;
  });
  const condition = operands.length === 0 ? null : operandLeaf(c, operands[0]);
  if (condition !== null && condition.poison !== null)
    e.leaveIf(condition.poison, "a branch on poison");
  for (const target of new Set(targets)) writeUpsilons(c, from, target);
  const blocks = targets.map(({ block }) => block);
  if (condition === null) e.jump(blocks[0]);
  else if (opcode === "br") e.branch(condition.value, blocks[0], blocks[1]);
  else writeSwitch(c, condition.value, keys, blocks);
  const { last } = e.block;
  c.decisions.add(last);
}

function writeSwitch(
  { e }: FunctionContext,
  on: Value,
  keys: readonly bigint[],
  blocks: readonly BasicBlock[],
): void {
  if (keys.length > SWITCH_CASES_MAX) throw outside(e.line, `a switch of ${keys.length} cases`);
  const word = (bits: bigint): number => Number(BigInt.asIntN(32, bits));
  const [rest, ...cases] = blocks;
  const high = keys.map((key) => (on.type === Int32 ? 0 : word(key >> 32n)));
  e.emit(Op.Switch, Void, on).extra = new SwitchCases(keys.map(word), high);
  e.block.successors.push(...cases, rest);
}

/** Writes the variables of the Phis of a successor. */
function writeUpsilons(c: FunctionContext, from: LlvmBlock, { phis, llvm }: OpenBlock): void {
  const { e } = c;
  const written: [Value, Value][] = [];
  for (const { instruction, leaves } of phis) {
    const at = (instruction.labels ?? []).indexOf(from.name);
    if (at < 0)
      throw new LlvmError(
        instruction.line,
        `a Phi of ${llvm.name} has no operand for ${from.name}`,
      );
    const given = operandLeaves(c, instruction.operands[at]);
    if (given.length !== leaves.length)
      throw new LlvmError(instruction.line, "expected operands of the Phi's type");
    leaves.forEach(({ value, poison }, i) => {
      if (given[i].value.type !== value.type)
        throw new LlvmError(instruction.line, "expected operands of the Phi's type");
      written.push([given[i].value, value]);
      if (poison !== null) written.push([given[i].poison ?? e.int(0), poison]);
    });
  }
  for (const [value, phi] of written) e.upsilon(value, phi);
}

function checkReturned(c: FunctionContext, leaves: LlvmScalars): void {
  const { called, e } = c;
  const expected = called.type.kind === "void" ? [] : scalarsOf(called.type, e.line);
  const isRight =
    leaves.length === expected.length &&
    expected.every(({ type }, i) => leaves[i].value.type === registerType(type, e.line));
  if (!isRight) throw new LlvmError(e.line, "expected a result of the function's type");
  if (c.stackEnd === null) return;
  // The variables of the function end.
  const begin = c.stackEnd;
  const end = e.load(Op.Load, begin.type, c.base, CELLS.stackEnd);
  fillStates(c, begin, e.sub(end, begin), BYTE_STATES.absent);
  e.store(Op.Store, begin, c.base, CELLS.stackEnd);
}

/** Returns the reachable blocks; each follows those that dominate it. */
function reversePostorder(
  blocks: readonly LlvmBlock[],
  byName: ReadonlyMap<string, LlvmBlock>,
): readonly LlvmBlock[] {
  const [entry] = blocks;
  if (entry === undefined) return [];
  const seen = new Set([entry]);
  const finished: LlvmBlock[] = [];
  const work = [{ block: entry, next: 0 }];
  for (let top = work.at(-1); top !== undefined; top = work.at(-1)) {
    const labels = top.block.instructions.at(-1)?.labels ?? [];
    if (top.next >= labels.length) {
      finished.push(top.block);
      work.pop();
      continue;
    }
    const target = byName.get(labels[top.next++]);
    if (target === undefined || seen.has(target)) continue;
    seen.add(target);
    work.push({ block: target, next: 0 });
  }
  return finished.reverse();
}

// Results that are surely no poison need no flag in Phis.
const ALWAYS = new Set(["load", "call", "fptosi", "fptoui", "shl", "lshr", "ashr"]);
const NEVER = new Set(["alloca", "freeze"]);

/** Returns the names of results and parameters that may be poison. */
function poisonNames({ blocks, parameters }: LlvmFunction): ReadonlySet<string> {
  const names = new Set(parameters.map(({ name }) => name));
  const isPoison = ({ operand }: TypedOperand): boolean =>
    operand.kind === "local"
      ? names.has(operand.name)
      : !/^(?:int|float|null|zero)$/.test(operand.kind);
  const mayBe = ({ opcode, flags, operands }: LlvmInstruction): boolean => {
    if (NEVER.has(opcode)) return false;
    return ALWAYS.has(opcode) || flags.size > 0 || operands.some(isPoison);
  };
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const { instructions } of blocks ?? []) {
      for (const instruction of instructions) {
        const { result } = instruction;
        if (result === null || names.has(result) || !mayBe(instruction)) continue;
        names.add(result);
        isNew = true;
      }
    }
  }
  return names;
}

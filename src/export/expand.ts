// Rewrites a module so that a format can express all of it. Patchpoints and opcodes that the format
// lacks become other opcodes. The behaviour of the module does not change: tests run it with the
// oracle before and after.
//
// Input:  a valid module; it is changed in place.
// Output: a module without patchpoints, FramePointer and ArgumentReg, and without the opcodes in
//         `lacking`. It is valid except for divisions in exit blocks, whose divisors are never
//         zero.

import { ASKING_BITS } from "../ir/host-functions.js";
import { loopTailCalls } from "../ir/loop-tail-calls.js";
import { nameOfOpcode, Op } from "../ir/opcodes.js";
import { PATCHPOINTS } from "../ir/patchpoints.js";
import {
  argumentOf,
  type BasicBlock,
  isAtomic,
  type Module,
  type Procedure,
  type Value,
} from "../ir/procedure.js";
import { Int32, Int64, nameOfType, Void } from "../ir/types.js";
import { assert } from "../support/assert.js";
import { ATOMIC_EXPANSIONS, OPCODE_EXPANSIONS, PATCHPOINT_EXPANSIONS } from "./expansions.js";
import { type ExpansionScript, OPERAND_NAMES, parseScript, ScriptWriter } from "./expressions.js";
import { ExportRefusal } from "./refusal.js";

/**
 * Returns a function that looks up a script by its key. It parses each script at the first use,
 * since most processes use none.
 */
function parsedOnDemand(
  texts: ReadonlyMap<string, string>,
): (key: string) => ExpansionScript | null {
  const parsed = new Map<string, ExpansionScript>();
  return (key) => {
    const text = texts.get(key);
    if (text === undefined) return null;
    const script = parsed.get(key) ?? parseScript(text);
    parsed.set(key, script);
    return script;
  };
}

const byOpcode = parsedOnDemand(
  new Map(Object.entries({ ...OPCODE_EXPANSIONS, ...ATOMIC_EXPANSIONS })),
);
const byKind = parsedOnDemand(
  new Map(
    PATCHPOINTS.flatMap(({ name, user }) => {
      const text = user === null ? PATCHPOINT_EXPANSIONS[name] : user.expansion;
      return text === null ? [] : [[name, text] as const];
    }),
  ),
);

export function expand(module: Module, lacking: ReadonlySet<string>): void {
  for (const proc of module.procedures) {
    loopTailCalls(proc);
    for (const block of proc.blocks) expandBlock(proc, block, lacking);
    for (const { values } of proc.snapshots) {
      values.splice(0, values.length, ...expandValues(proc, values, lacking));
    }
  }
}

function expandBlock(proc: Procedure, block: BasicBlock, lacking: ReadonlySet<string>): void {
  block.values = expandValues(proc, block.values, lacking);
  for (const value of block.values) value.block = block;
}

function expandValues(
  proc: Procedure,
  values: readonly Value[],
  lacking: ReadonlySet<string>,
): Value[] {
  const expanded: Value[] = [];
  for (const value of values) {
    if (value.opcode === Op.FramePointer) value.becomesConstant(0, 0);
    else if (value.opcode === Op.ArgumentReg) {
      const parameter = argumentOf(proc, value.type, value.argumentIndex);
      assert(parameter !== null, () => `@${value.id} reads a register that holds no argument`);
      value.becomes(parameter);
    }
    if (value.opcode === Op.CCallCheck) {
      expanded.push(value, ...addDeoptCheck(proc, value));
      continue;
    }
    const script = scriptFor(value, lacking);
    if (script === null) expanded.push(value);
    else expandValue(proc, value, script, lacking, expanded);
  }
  return expanded;
}

/**
 * Replaces a CCallCheck by an ordinary call, and returns a guard after it that tests the
 * deoptimization bits of the result.
 */
function addDeoptCheck(proc: Procedure, call: Value): Value[] {
  const { host, type, snapshot } = call;
  const [bits, zero] = [ASKING_BITS, 0].map((lo) => proc.newConstant(type, lo, 0));
  const low = proc.newValue(Op.BitAnd, type, call, bits);
  const deopts = proc.newValue(Op.Equal, Int32, low, zero);
  const guard = proc.newValue(Op.Check, Void, deopts);
  guard.extra = snapshot;
  call.opcode = Op.CCall;
  call.extra = host;
  call.clearImmediates();
  return [bits, zero, low, deopts, guard];
}

function scriptFor(value: Value, lacking: ReadonlySet<string>): ExpansionScript | null {
  const { patchpoint } = value;
  if (patchpoint !== null) {
    const script = byKind(patchpoint.name);
    if (script === null) {
      throw new ExportRefusal(`the kind of patchpoint '${patchpoint.name}' has no expansion`);
    }
    return script;
  }
  const name = nameOfOpcode(value.opcode);
  if (!lacking.has(name)) return null;
  const typed = value.a === null ? name : `${name}.${nameOfType(value.a.type)}`;
  return byOpcode(typed) ?? byOpcode(name);
}

const SUM = parseScript("Add(x, y)");

/** Appends the values of the script, and then the original value as a copy of their result. */
function expandValue(
  proc: Procedure,
  value: Value,
  script: ExpansionScript,
  lacking: ReadonlySet<string>,
  expanded: Value[],
): void {
  const operands = value.rest ?? [value.a, value.b, value.c];
  const names = new Map<string, Value>();
  operands.forEach((operand, i) => {
    if (operand !== null) names.set(OPERAND_NAMES[i], operand);
  });
  const writer = new ScriptWriter(proc, {}, value);
  if (isAtomic(value) && value.offset !== 0) {
    // The script takes the complete address, so the offset is added first.
    const offset = writer.constant(Int64, BigInt(value.offset));
    const address = writer.write(
      SUM,
      new Map([
        ["x", value.address],
        ["y", offset],
      ]),
    );
    names.set(OPERAND_NAMES[operands.indexOf(value.address, value.c === null ? 1 : 2)], address);
  }
  const result = writer.write(script, names);
  // A script may itself use opcodes that the format lacks.
  expanded.push(...expandValues(proc, writer.values, lacking));
  if (result.opcode === Op.Return) return;
  if (value.type === Void) value.becomesNop();
  else value.becomes(result);
  expanded.push(value);
}

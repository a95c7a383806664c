// Makes a program whose entry runs many times in one execution. Each call has the arguments of some
// input, and the heap that the previous call left. So hotness counters trigger recording, and a
// trace recorded with one input is left with another.
//
// A procedure before the old entry calls it in a loop. The first calls have the same arguments,
// later ones those of one input after the other. Its result combines those of all calls. In half of
// the programs the loop calls an address. Every other call reaches a detour procedure, which calls
// a host function and then the entry. So a trace has seen only one of the two callees.

import type { Program } from "../../generate/generate-program.js";
import { type Input, isJudged, returnOf } from "../../ir/outcome.js";
import type { Procedure } from "../../ir/procedure.js";
import { printName } from "../../ir/text/literals.js";
import { parseModule } from "../../ir/text/parse.js";
import { printHead, printProcedure } from "../../ir/text/print.js";
import { Double, Float, Int32, isWide, nameOfType, Void } from "../../ir/types.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import type { ChoiceSource } from "../../support/source.js";

/** The bounds of the number of calls of the entry in one execution. */
const TIMES = { min: 6, max: 12 } as const;
const EXECUTIONS_MAX = 2;
const INPUTS_MAX = 6;

/** Returns the repeated program, or the same program if its entry returns for no input. */
export function repeatedProgram(program: Program, source: ChoiceSource): Program {
  const times = TIMES.min + source.below(TIMES.max - TIMES.min + 1);
  const alike = source.below(times);
  const inputs = returningInputs(program).slice(0, INPUTS_MAX);
  if (inputs.length === 0) return program;
  const { module } = program;
  const detour = source.below(2) === 0 ? nameFor(program, "detour") : null;
  const { entry } = module;
  const text = [
    printHead(module),
    driverText(nameFor(program, "repeat"), detour, entry, inputs, times, alike),
    ...module.procedures.map(printProcedure),
    ...(detour === null ? [] : [detourText(detour, entry)]),
  ].join("\n");
  const given = inputs
    .slice(0, EXECUTIONS_MAX)
    .map(({ heapSeed }, i): Input => ({ words: Int32Array.of(i, 0), heapSeed }));
  return { module: parseModule(text), inputs: given, made: [] };
}

function nameFor({ module }: Program, wanted: string): string {
  let name = wanted;
  while (module.procedureNamed(name) !== null) name += "_";
  return name;
}

/** Returns the inputs for which the entry returns: after any other ending no call would follow. */
function returningInputs({ module, inputs }: Program): readonly Input[] {
  const oracle = new Oracle();
  const program = decodeModule(module);
  return inputs.filter((input) => {
    const outcome = oracle.run(program, input, DEFAULT_FUEL);
    return isJudged(outcome) && returnOf(outcome.ending) !== null;
  });
}

/** Returns a procedure that calls the entry with its own arguments, after a unique event. */
function detourText(name: string, { name: entry, parameters, result }: Procedure): string {
  const types = parameters.map(({ type }, p) => `${nameOfType(type)} @${p}`);
  const args = parameters.map((_, p) => `@${p}`);
  const [event, log, call, end] = [0, 1, 2, 3].map((i) => parameters.length + i);
  return `proc ${printName(name)}(${types.join(", ")}) -> ${nameOfType(result)}
#0:
  Int32 @${event} = Const32(${DETOUR_EVENT})
  Void @${log} = CCall(logInt, @${event})
  ${nameOfType(result)} @${call} = CCall(${[printName(entry), ...args].join(", ")})
  Void @${end} = Return(${result === Void ? "" : `@${call}`})
`;
}

const DETOUR_EVENT = 77;

/**
 * Returns the procedure with the loop.
 * @param detour the callee of every other call; null: all calls reach the entry
 * @param alike number of first calls with the same arguments; the parameter selects the input
 */
function driverText(
  name: string,
  detour: string | null,
  entry: Procedure,
  inputs: readonly Input[],
  times: number,
  alike: number,
): string {
  const keys = inputs.slice(1).map((_, i) => `${i + 1}: #${FIRST_BLOCK + i + 1}, `);
  const blocks: string[] = [];
  let next = FIRST_VALUE;
  inputs.forEach((input, i) => {
    const { lines, end } = callText(entry, input, next, detour === null);
    blocks.push(`#${FIRST_BLOCK + i}:`, ...lines);
    next = end;
  });
  const addresses = `
  Int32 @29 = BitAnd(@12, @2)
  Int64 @30 = FunctionAddress(${printName(entry.name)})
  Int64 @31 = FunctionAddress(${printName(detour ?? entry.name)})
  Int64 @32 = Select(@29, @31, @30)`;
  return `proc ${printName(name)}(Int32 @0) -> Int64
#0:
  Int32 @1 = Const32(0)
  Int32 @2 = Const32(1)
  Int64 @3 = Const64(0)
  Int32 @4 = Const32(${times})
  Int32 @5 = Const32(${alike})
  Int32 @6 = Const32(5)
  Int32 @7 = Const32(${inputs.length})
  Void @8 = Upsilon(@1, ^12)
  Void @9 = Upsilon(@0, ^13)
  Void @10 = Upsilon(@3, ^14)
  Void @11 = Jump(#1)
#1:
  Int32 @12 = Phi()
  Int32 @13 = Phi()
  Int64 @14 = Phi()${detour === null ? "" : addresses}
  Void @15 = Switch(@13, ${keys.join("")}default: #${FIRST_BLOCK})
${blocks.join("\n")}
#2:
  Int64 @16 = Phi()
  Int64 @17 = RotL(@14, @6)
  Int64 @18 = Add(@17, @16)
  Int32 @19 = Add(@12, @2)
  Int32 @20 = GreaterEqual(@19, @5)
  Int32 @21 = Add(@13, @20)
  Int32 @22 = ChillMod(@21, @7)
  Void @23 = Upsilon(@19, ^12)
  Void @24 = Upsilon(@22, ^13)
  Void @25 = Upsilon(@18, ^14)
  Int32 @26 = LessThan(@19, @4)
  Void @27 = Branch(@26, #1, #3)
#3:
  Void @28 = Return(@18)
`;
}

/** The first value id after those of the driver procedure itself. */
const FIRST_VALUE = 33;
const FIRST_BLOCK = 4;

/**
 * Returns the text of one block: a call with the arguments of that input, and its result as bits.
 */
function callText(
  { name, parameters, result }: Procedure,
  { words }: Input,
  first: number,
  isDirect: boolean,
): { readonly lines: readonly string[]; readonly end: number } {
  const lines: string[] = [];
  let id = first;
  const add = (type: string, what: string): string => {
    lines.push(`  ${type} @${id} = ${what}`);
    return `@${id++}`;
  };
  const bits = (i: number): bigint => BigInt.asUintN(32, BigInt(words[i]));
  const args = parameters.map(({ type }, p) => {
    const isLong = isWide(type);
    const word = isLong ? (bits(2 * p + 1) << 32n) | bits(2 * p) : bits(2 * p);
    const constant = isLong
      ? add("Int64", `Const64(0x${word.toString(16)})`)
      : add("Int32", `Const32(0x${word.toString(16)})`);
    if (type !== Float && type !== Double) return constant;
    return add(nameOfType(type), `BitwiseCast(${constant})`);
  });
  const callee = [isDirect ? printName(name) : "@32", ...args].join(", ");
  let seen = add(nameOfType(result), `${isDirect ? "CCall" : "CallIndirect"}(${callee})`);
  if (result === Void) seen = "@3";
  if (result === Float || result === Double) {
    seen = add(nameOfType(result), `PurifyNaN(${seen})`);
    seen = add(result === Float ? "Int32" : "Int64", `BitwiseCast(${seen})`);
  }
  if (result === Float || result === Int32) seen = add("Int64", `ZExt32(${seen})`);
  add("Void", `Upsilon(${seen}, ^16)`);
  add("Void", "Jump(#2)");
  return { lines, end: id };
}

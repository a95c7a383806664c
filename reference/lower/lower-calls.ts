// Lowers parameters, arguments and results by the calling convention.

import { guardsResult, Op } from "../../src/ir/opcodes.js";
import {
  directCallee,
  extractsOf,
  furtherOf,
  returnedValues,
  type Value,
} from "../../src/ir/procedure.js";
import { Int32, Void } from "../../src/ir/types.js";
import type { VirtualRegister } from "../lir/indices.js";
import { OperandPolicy, OperandRole, packOperand, ValueHalf } from "../lir/lir.js";
import {
  ON_STACK,
  placeArguments,
  placeResults,
  STACK_ARGUMENT_SIZE,
  STACK_ARGUMENT_UNITS,
} from "../target/arguments.js";
import { ConditionCode } from "../target/conditions.js";
import { HALF_FORM } from "./half-forms.js";
import { HALF_SIZE } from "./halves.js";
import { type LirBuilder, NO_VREG } from "./lir-builder.js";
import { splitIntoHalves } from "./lower-halves.js";

// Parameters without a register stay in the caller's stack slots: no code loads them before a use
// needs a register.
export function lowerEntry(builder: LirBuilder): void {
  const { lir, places } = builder;
  const { target, entry } = builder.plan;
  const { parameters } = builder.proc;
  const onStack = placeArguments(parameters, target, places);
  lir.incomingUnits = STACK_ARGUMENT_UNITS * onStack;
  for (let i = 0; i < parameters.length; i++) {
    const place = places[i];
    if (place >= ON_STACK) defineIncoming(builder, parameters[i], place - ON_STACK);
    else {
      const vreg = builder.defineVreg(parameters[i]);
      lir.addOperand(packOperand(vreg, OperandRole.Definition, OperandPolicy.Fixed, place));
    }
  }
  lir.endInstruction(entry, 0, 0, -1);
  for (let i = 0; i < parameters.length; i++) {
    const parameter = parameters[i];
    if (places[i] >= ON_STACK || !builder.isInHalves(parameter)) continue;
    builder.halfCounts[HALF_FORM.parameter]++;
    splitIntoHalves(builder, parameter, builder.vregs[parameter.id]);
  }
}

/** Defines a parameter in the caller's slot with that number. */
function defineIncoming(builder: LirBuilder, parameter: Value, number: number): void {
  const { lir } = builder;
  const isInHalves = builder.isInHalves(parameter);
  if (isInHalves) builder.halfCounts[HALF_FORM["stack-parameter"]]++;
  const first = isInHalves ? builder.defineHalves(parameter) : builder.defineVreg(parameter);
  for (let half = 0; half < (isInHalves ? 2 : 1); half++) {
    const vreg = (first + half) as VirtualRegister; // halves are adjacent
    lir.vregArgumentUnit[vreg] = STACK_ARGUMENT_UNITS * number + half;
    lir.addOperand(packOperand(vreg, OperandRole.Definition, OperandPolicy.Stack));
  }
}

export function lowerCall(builder: LirBuilder, value: Value): void {
  const { lir, plan } = builder;
  const args = value.rest ?? [];
  const inputs = lowerArguments(builder, value, args);
  const called = directCallee(value);
  const address = value.a === null || called !== null ? NO_VREG : builder.use(value.a);
  const given = defineResults(builder, value);
  const asked = guardsResult(value.opcode) ? lir.newVreg(Int32) : NO_VREG;
  if (asked !== NO_VREG) {
    lir.addOperand(
      packOperand(asked, OperandRole.Definition, OperandPolicy.Fixed, plan.target.asked),
    );
  }
  const addressOperand = given.definitions + (asked === NO_VREG ? 0 : 1);
  if (address !== NO_VREG) {
    lir.addOperand(packOperand(address, OperandRole.UseAtStart, OperandPolicy.Register));
  }
  for (let i = 0; i < args.length; i++) {
    const place = builder.places[i];
    if (place >= ON_STACK) continue;
    lir.addOperand(packOperand(inputs[i], OperandRole.UseAtStart, OperandPolicy.Fixed, place));
  }
  const { host, id } = value;
  if (host !== null) {
    const pool = plan.forms.pool[plan.callHost];
    lir.endInstruction(builder.pools && pool >= 0 ? pool : plan.callHost, host.index, 0, id);
  } else if (called !== null) lir.endInstruction(plan.call, builder.indexOf(called), 0, id);
  else lir.endInstruction(plan.callIndirect, addressOperand, 0, id);
  builder.forgetConstants();
  for (const [result, vreg] of given.results) {
    if (!builder.isInHalves(result)) continue;
    builder.halfCounts[HALF_FORM["call-result"]]++;
    splitIntoHalves(builder, result, vreg);
  }
  if (asked !== NO_VREG) lowerDeoptimizationGuard(builder, value, asked);
}

interface CallResults {
  /** The first result and the extracted further results, each with its register. */
  readonly results: readonly (readonly [result: Value, vreg: VirtualRegister])[];
  /** The number of operands so far: a result that is extracted twice is defined once. */
  readonly definitions: number;
}

function defineResults(builder: LirBuilder, call: Value): CallResults {
  if (call.type === Void) return NO_RESULTS;
  const { lir, plan, vregs } = builder;
  const further = furtherOf(call);
  const registers = placeResults([call.type, ...further], plan.target);
  const defined: VirtualRegister[] = [];
  const given = further.length === 0 ? [call] : [call, ...extractsOf(call)];
  const results = given.map((result) => {
    const number = result === call ? 0 : result.resultIndex;
    if (defined[number] === undefined) {
      defined[number] = builder.defineVreg(result);
      const register = registers[number];
      lir.addOperand(
        packOperand(defined[number], OperandRole.Definition, OperandPolicy.Fixed, register),
      );
    } else vregs[result.id] = defined[number];
    return [result, defined[number]] as const;
  });
  return { results, definitions: defined.filter(isThere).length };
}
const NO_RESULTS: CallResults = { results: [], definitions: 0 };
const isThere = (vreg: VirtualRegister | undefined): boolean => vreg !== undefined;

// Emits the guard on the callee's deoptimization flag, after the call. The values of its exit live
// across the call.
function lowerDeoptimizationGuard(builder: LirBuilder, call: Value, asked: VirtualRegister): void {
  builder.emit(builder.plan.check.test[Int32], call, [asked], 0, ConditionCode.ne);
}

// Stores stack arguments before the call. Returns the registers of the others by argument; `places`
// describes where the convention puts them.
function lowerArguments(
  builder: LirBuilder,
  call: Value,
  args: readonly Value[],
): readonly VirtualRegister[] {
  const { lir, plan, places } = builder;
  const inputs: VirtualRegister[] = [];
  const onStack = placeArguments(args, plan.target, places);
  lir.outgoingSize = Math.max(lir.outgoingSize, STACK_ARGUMENT_SIZE * onStack);
  for (let i = 0; i < args.length; i++) {
    if (places[i] < ON_STACK) continue;
    const offset = STACK_ARGUMENT_SIZE * (places[i] - ON_STACK);
    if (builder.isInHalves(args[i])) {
      builder.halfCounts[HALF_FORM["stack-argument"]]++;
      const low = builder.useHalf(args[i], ValueHalf.Low);
      storeArgument(builder, plan.storeArgument[Int32], low, offset, call);
      const high = builder.useHalf(args[i], ValueHalf.High);
      storeArgument(builder, plan.storeArgument[Int32], high, offset + HALF_SIZE, call);
    } else {
      storeArgument(builder, plan.storeArgument[args[i].type], builder.use(args[i]), offset, call);
    }
  }
  for (let i = 0; i < args.length; i++) {
    if (places[i] >= ON_STACK) continue;
    if (builder.isInHalves(args[i])) builder.halfCounts[HALF_FORM.argument]++;
    inputs[i] = builder.use(args[i]);
  }
  return inputs;
}

function storeArgument(
  { lir, plan }: LirBuilder,
  row: number,
  vreg: VirtualRegister,
  offset: number,
  call: Value,
): void {
  lir.addOperand(plan.operands[row][0] | vreg);
  lir.endInstruction(row, offset, 0, call.id);
}

export function lowerReturn(builder: LirBuilder, value: Value): void {
  const { lir, plan } = builder;
  const answer = deoptimizationFlag(builder, value);
  if (value.a !== null) returnResults(builder, returnedValues(value));
  if (answer !== NO_VREG) {
    lir.addOperand(
      packOperand(answer, OperandRole.UseAtStart, OperandPolicy.Fixed, plan.target.asked),
    );
  }
  lir.endInstruction(plan.return, 0, 0, value.id);
}

function returnResults(builder: LirBuilder, results: readonly Value[]): void {
  const types = results.map(({ type }) => type);
  const registers = placeResults(types, builder.plan.target);
  const vregs = results.map((result) => {
    if (builder.isInHalves(result)) builder.halfCounts[HALF_FORM.return]++;
    return builder.use(result);
  });
  vregs.forEach((vreg, i) => {
    builder.lir.addOperand(
      packOperand(vreg, OperandRole.UseAtStart, OperandPolicy.Fixed, registers[i]),
    );
  });
}

/** Returns the register with the deoptimization flag of a return; NO_VREG if no caller tests it. */
function deoptimizationFlag(builder: LirBuilder, { opcode, id }: Value): VirtualRegister {
  if (!builder.answers) return NO_VREG;
  const row = builder.plan.constants[Int32];
  return builder.emitConstant(row, Int32, opcode === Op.ReturnDeopt ? 1 : 0, 0, id);
}

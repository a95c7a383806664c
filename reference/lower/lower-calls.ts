// What a calling convention says, to LIR: parameters, arguments, results.

import type { Value } from "../../src/ir/procedure.js";
import { isFloating, Void } from "../../src/ir/types.js";
import { Policy, packOperand, Role } from "../lir/lir.js";
import { INCOMING_OFFSET, ON_STACK, placeArguments, STACK_ARGUMENT_SIZE } from "./arguments.js";
import { type LirBuilder, NO_VREG } from "./lir-builder.js";

export function lowerEntry(builder: LirBuilder): void {
  const { lir, places } = builder;
  const { target, entry, operands, loadArgument } = builder.plan;
  const { parameters } = builder.proc;
  const onStack = placeArguments(parameters, target, places);
  for (let i = 0; i < parameters.length; i++) {
    if (places[i] >= ON_STACK) continue;
    const vreg = builder.defineVreg(parameters[i]);
    lir.addOperand(packOperand(vreg, Role.Definition, Policy.Fixed, places[i]));
  }
  lir.endInstruction(entry, 0, 0, -1);
  if (onStack === 0) return;
  for (let i = 0; i < parameters.length; i++) {
    if (places[i] < ON_STACK) continue;
    const row = loadArgument[parameters[i].type];
    lir.addOperand(operands[row][0] | builder.defineVreg(parameters[i]));
    const offset = INCOMING_OFFSET + STACK_ARGUMENT_SIZE * (places[i] - ON_STACK);
    lir.endInstruction(row, offset, 0, parameters[i].id);
  }
}

export function lowerCall(builder: LirBuilder, value: Value): void {
  const { lir, plan } = builder;
  const args = value.rest ?? [];
  lowerArguments(builder, value, args);
  const address = value.a === null ? NO_VREG : builder.use(value.a);
  if (value.type !== Void) {
    const { integerResult, floatResult } = plan.target;
    const register = isFloating(value.type) ? floatResult : integerResult;
    const vreg = builder.defineVreg(value);
    lir.addOperand(packOperand(vreg, Role.Definition, Policy.Fixed, register));
  }
  const addressOperand = value.type === Void ? 0 : 1;
  if (address !== NO_VREG) {
    lir.addOperand(packOperand(address, Role.UseAtStart, Policy.Register));
  }
  for (let i = 0; i < args.length; i++) {
    const place = builder.places[i];
    if (place >= ON_STACK) continue;
    lir.addOperand(packOperand(builder.inputs[i], Role.UseAtStart, Policy.Fixed, place));
  }
  const { host, procedure, id } = value;
  if (host !== null) {
    const pool = plan.forms.pool[plan.callHost];
    lir.endInstruction(builder.pools && pool >= 0 ? pool : plan.callHost, host.index, 0, id);
  } else if (procedure !== null) lir.endInstruction(plan.call, builder.indexOf(procedure), 0, id);
  else lir.endInstruction(plan.callIndirect, addressOperand, 0, id);
  builder.forgetConstants();
}

// Arguments of the stack are stored before the call; `inputs` and `places` tell the rest.
function lowerArguments(builder: LirBuilder, call: Value, args: readonly Value[]): void {
  const { lir, plan, places, inputs } = builder;
  const onStack = placeArguments(args, plan.target, places);
  lir.outgoingSize = Math.max(lir.outgoingSize, STACK_ARGUMENT_SIZE * onStack);
  for (let i = 0; i < args.length; i++) {
    if (places[i] < ON_STACK) continue;
    const row = plan.storeArgument[args[i].type];
    const vreg = builder.use(args[i]);
    lir.addOperand(plan.operands[row][0] | vreg);
    lir.endInstruction(row, STACK_ARGUMENT_SIZE * (places[i] - ON_STACK), 0, call.id);
  }
  for (let i = 0; i < args.length; i++) if (places[i] < ON_STACK) inputs[i] = builder.use(args[i]);
}

export function lowerReturn(builder: LirBuilder, value: Value): void {
  const { lir, plan } = builder;
  if (value.a !== null) {
    const register = isFloating(value.a.type) ? plan.target.floatResult : plan.target.integerResult;
    const vreg = builder.use(value.a);
    lir.addOperand(packOperand(vreg, Role.UseAtStart, Policy.Fixed, register));
  }
  lir.endInstruction(plan.return, 0, 0, value.id);
}

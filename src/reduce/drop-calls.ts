// Lists edits of procedures and of their calls: both sides of a call change together.

import { CALLS_ADDRESS, isReturn, Op } from "../ir/opcodes.js";
import {
  extractsOf,
  type Module,
  Procedure,
  reachedProcedures,
  type Value,
} from "../ir/procedure.js";
import { keep } from "../ir/tidy.js";
import { type Type, Void } from "../ir/types.js";
import type { Candidate } from "./candidate.js";
import type { CandidateEdit } from "./schedule.js";

interface CallSite {
  readonly call: Value;
  readonly caller: Procedure;
  /** Procedures of the module, without host functions. */
  readonly reached: readonly Procedure[];
}

function callsOf({ procedures }: Module): CallSite[] {
  const calls: CallSite[] = [];
  for (const caller of procedures) {
    caller.forEachValue((call) => {
      const { opcode, procedure } = call;
      if (CALLS_ADDRESS[opcode] === 1) {
        calls.push({ call, caller, reached: reachedProcedures(call) });
      } else if ((opcode === Op.CCall || opcode === Op.TailCall) && procedure !== null) {
        calls.push({ call, caller, reached: [procedure] });
      }
    });
  }
  return calls;
}

/** Returns the procedure, those that a call may reach instead of it, transitively, and all calls of these. */
function callGroupOf(module: Module, proc: Procedure) {
  const procedures = new Set([proc]);
  const all = callsOf(module);
  const isConcerned = ({ reached }: CallSite): boolean =>
    reached.some((other) => procedures.has(other));
  for (let before = 0; before < procedures.size; ) {
    before = procedures.size;
    for (const call of all) {
      if (isConcerned(call)) for (const other of call.reached) procedures.add(other);
    }
  }
  return { procedures, calls: all.filter(isConcerned) };
}

/**
 * Removes a parameter of the procedure, and of each procedure that the same calls may reach, and the arguments of these
 * calls. A constant at the entry replaces the uses of the parameter.
 */
export function dropParameter(
  module: Module,
  proc: Procedure,
  index: number,
  bits: readonly [lo: number, hi: number],
): void {
  const { procedures, calls } = callGroupOf(module, proc);
  for (const { parameters, blocks } of procedures) {
    const [parameter] = parameters.splice(index, 1);
    if (parameter === undefined) continue; // the types differ from those of the call, which the verifier rejects
    parameters.forEach((other, p) => {
      other.parameterIndex = p;
    });
    parameter.becomesConstant(bits[0], bits[1]);
    parameter.block = blocks[0];
    blocks[0].values.unshift(parameter);
  }
  for (const { call } of calls) call.rest?.splice(index, 1);
}

/** Lists edits that remove a parameter of called procedures; it becomes zero or the argument of the first call. */
export const dropCalledParameters =
  (becomes: "zero" | "argument") =>
  ({ module }: Candidate): CandidateEdit[] => {
    const called = new Set(callsOf(module).flatMap(({ reached }) => reached));
    return [...called].flatMap((proc) =>
      proc.parameters.map((parameter) => () => {
        const index = proc.parameters.indexOf(parameter);
        const { procedures, calls } = callGroupOf(module, proc);
        // Parameters of the entry are excluded: inputs contain their arguments, and another reducer
        // removes them.
        if (index < 0 || calls.length === 0 || procedures.has(module.entry)) return;
        const argument = calls[0].call.rest?.[index];
        if (becomes === "zero") dropParameter(module, proc, index, [0, 0]);
        else if (argument?.isConstant === true) {
          dropParameter(module, proc, index, [argument.constantLow, argument.constantHigh]);
        }
      }),
    );
  };

/** Lists edits that turn calls of addresses into calls of the procedure at that index of those that they may reach. */
export const indirectToDirect =
  (which: number) =>
  ({ module }: Candidate): CandidateEdit[] =>
    callsOf(module).flatMap(({ call, reached }) => {
      const callee = reached[which];
      if (call.opcode !== Op.CallIndirect || callee === undefined) return [];
      return [
        () => {
          call.opcode = Op.CCall;
          call.a = null;
          call.extra = callee;
        },
      ];
    });

/**
 * Lists edits that make the callee of a call the entry. Its arguments are those of the call that are constants or
 * parameters of the entry, and otherwise zero.
 */
export const calleesToEntry = (candidate: Candidate): CandidateEdit[] => {
  const { module } = candidate;
  const { entry, procedures } = module;
  return callsOf(module).flatMap(({ call, caller, reached }) => {
    if (call.opcode !== Op.CCall || reached[0] === entry) return [];
    return [
      () => {
        const args = call.rest ?? [];
        if (module.entry !== entry) return; // another edit was applied first
        candidate.inputs = candidate.inputs.map(({ words, heapSeed }) => {
          const bits = args.flatMap((arg): readonly number[] => {
            if (arg.isConstant) return [arg.constantLow, arg.constantHigh];
            const isGiven = arg.opcode === Op.Parameter && caller === entry;
            return isGiven
              ? [words[2 * arg.parameterIndex], words[2 * arg.parameterIndex + 1]]
              : [0, 0];
          });
          return { words: Int32Array.from(bits), heapSeed };
        });
        keep(procedures, (proc) => proc !== reached[0]);
        procedures.unshift(reached[0]);
      },
    ];
  });
};

/** Lists edits that make procedures return nothing; zero replaces the results of their calls. */
export const dropResults = ({ module }: Candidate): CandidateEdit[] =>
  module.procedures
    .filter(({ result }) => result !== Void)
    .map((proc) => () => {
      if (!module.procedures.includes(proc)) return; // removed together with another
      const { procedures, calls } = callGroupOf(module, proc);
      for (const { call, caller } of calls) dropResultOfCall(call, caller);
      for (const each of procedures) changeResult(module, each, Void);
    });

function dropResultOfCall(call: Value, caller: Procedure): void {
  const { block } = call;
  if (block === null || call.type === Void) return;
  const bare = caller.newValue(call.opcode, Void, call.a);
  bare.rest = call.rest;
  bare.extra = call.extra;
  bare.block = block;
  for (const extract of extractsOf(call)) extract.becomesConstant(0, 0);
  block.values.splice(block.values.indexOf(call), 0, bare);
  call.becomesConstant(0, 0);
}

/** Lists edits that remove one further result of procedures; zero replaces its uses. */
export const dropFurtherResults = ({ module }: Candidate): CandidateEdit[] =>
  module.procedures.flatMap((proc) =>
    proc.further.map((_, index) => () => {
      if (!module.procedures.includes(proc)) return; // removed together with another
      const { procedures, calls } = callGroupOf(module, proc);
      for (const { call } of calls) dropExtracts(call, index + 1);
      for (const each of procedures) dropFurther(module, each, index);
    }),
  );

function dropExtracts(call: Value, number: number): void {
  for (const extract of extractsOf(call)) {
    if (extract.resultIndex === number) extract.becomesConstant(0, 0);
    else if (extract.resultIndex > number) extract.resultIndex--;
  }
}

function dropFurther(module: Module, proc: Procedure, index: number): void {
  for (const { last } of proc.blocks) {
    if (!isReturn(last.opcode)) continue;
    if (index === 0) last.b = last.c;
    last.c = null;
  }
  const further = proc.further.filter((_, i) => i !== index);
  replaceProcedure(module, proc, withResults(proc, proc.result, further));
}

/** Changes the type that the procedure returns; if it is Void, its Returns have no operand. */
export function changeResult(module: Module, { blocks }: Procedure, result: Type): void {
  // Look the procedure up again, because an earlier edit may have replaced its object.
  const proc = module.procedures.find((other) => other.blocks === blocks);
  if (proc === undefined) return;
  if (result === Void) {
    for (const { last } of blocks) {
      if (isReturn(last.opcode)) [last.a, last.b, last.c] = [null, null, null];
    }
  }
  const further = result === Void ? [] : proc.further;
  replaceProcedure(module, proc, withResults(proc, result, further));
}

function withResults(proc: Procedure, result: Type, further: readonly Type[]): Procedure {
  const twin = new Procedure(proc.name, result, further);
  twin.parameters.push(...proc.parameters);
  twin.slots.push(...proc.slots);
  twin.snapshots.push(...proc.snapshots);
  twin.blocks = proc.blocks;
  twin.valueIdEnd = proc.valueIdEnd;
  twin.blockIdEnd = proc.blockIdEnd;
  twin.snapshotIdEnd = proc.snapshotIdEnd;
  return twin;
}

function replaceProcedure(module: Module, proc: Procedure, twin: Procedure): void {
  const { procedures, continuations } = module;
  procedures[procedures.indexOf(proc)] = twin;
  for (const list of continuations.values()) {
    list.forEach((other, i) => {
      if (other === proc) list[i] = twin;
    });
  }
  for (const each of procedures) {
    each.forEachValue((value) => {
      if (value.extra === proc) value.extra = twin;
    });
  }
}

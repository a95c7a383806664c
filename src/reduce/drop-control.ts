// Lists edits of blocks, exits and inputs.

import { Op } from "../ir/opcodes.js";
import type { Input } from "../ir/outcome.js";
import {
  type BasicBlock,
  type Module,
  type Procedure,
  parameterTypeFor,
  SwitchCases,
  type Value,
} from "../ir/procedure.js";
import { keep } from "../ir/tidy.js";
import { Void } from "../ir/types.js";
import type { Candidate } from "./candidate.js";
import { dropParameter } from "./drop-calls.js";
import type { CandidateEdit } from "./schedule.js";

const blocksOf = ({ procedures }: Module): [BasicBlock, Procedure][] =>
  procedures.flatMap((proc) => proc.blocks.map((block): [BasicBlock, Procedure] => [block, proc]));

/** Lists edits that make blocks return, without their successors. */
export const blocksToReturn = ({ module }: Candidate): CandidateEdit[] =>
  blocksOf(module)
    .filter(([{ last }]) => last.opcode !== Op.Return)
    .map(
      ([block, proc]) =>
        () =>
          endWithReturn(block, proc),
    );

function endWithReturn(block: BasicBlock, proc: Procedure): void {
  const { last } = block;
  last.becomesNop();
  last.opcode = Op.Return;
  block.successors = [];
  if (proc.result === Void) return;
  [last.a, last.b = null, last.c = null] = [proc.result, ...proc.further].map((type) => {
    const zero = proc.newConstant(type, 0, 0);
    zero.block = block;
    block.values.splice(block.values.length - 1, 0, zero);
    return zero;
  });
}

/** Lists edits that turn ReturnDeopt into Return. */
export const deoptReturnToReturn = ({ module }: Candidate): CandidateEdit[] =>
  blocksOf(module)
    .filter(([{ last }]) => last.opcode === Op.ReturnDeopt)
    .map(([{ last }]) => () => {
      last.opcode = Op.Return;
    });

/** Lists edits that make Branches and Switches always continue at their first successor, or at their last. */
export const branchesToJump =
  (which: "first" | "last") =>
  ({ module }: Candidate): CandidateEdit[] =>
    blocksOf(module)
      .filter(([{ last }]) => last.opcode === Op.Branch || last.opcode === Op.Switch)
      .map(([block]) => () => {
        const { last, successors } = block;
        last.becomesNop();
        last.opcode = Op.Jump;
        block.successors = [which === "first" ? successors[0] : successors[successors.length - 1]];
      });

const switchesOf = (module: Module): BasicBlock[] =>
  blocksOf(module).flatMap(([block]) => (block.last.opcode === Op.Switch ? [block] : []));

/** Lists edits that remove a case of a Switch; its key continues at the default. */
export const dropCases = ({ module }: Candidate): CandidateEdit[] =>
  switchesOf(module).flatMap((block) =>
    Array.from({ length: block.last.cases.count }, (_, k) => () => {
      const { lo, hi } = block.last.cases;
      block.last.extra = new SwitchCases(lo.toSpliced(k, 1), hi.toSpliced(k, 1));
      block.successors.splice(k, 1);
    }),
  );

/** Lists edits that turn a Switch of one case into a Branch on the same operand. */
export const switchesToBranch = ({ module }: Candidate): CandidateEdit[] =>
  switchesOf(module)
    .filter(({ last }) => last.cases.count === 1)
    .map((block) => () => {
      const { last, successors } = block;
      const { lo, hi } = last.cases;
      last.opcode = Op.Branch;
      last.extra = null;
      if (lo[0] === 0 && hi[0] === 0) successors.reverse();
    });

type WordSimplifier = (value: {
  type: Value["type"];
  lo: number;
  hi: number;
}) => readonly number[] | null;

/** Lists edits that simplify keys of Switches. */
export const simplifyKeys =
  (simplify: WordSimplifier) =>
  ({ module }: Candidate): CandidateEdit[] =>
    switchesOf(module).flatMap(({ last }) =>
      Array.from({ length: last.cases.count }, (_, k) => () => {
        const { lo, hi } = last.cases;
        const type = last.a?.type ?? Void;
        const simpler = type === Void ? null : simplify({ type, lo: lo[k], hi: hi[k] });
        if (simpler === null) return;
        last.extra = new SwitchCases(lo.with(k, simpler[0]), hi.with(k, simpler[1]));
      }),
    );

/** Lists edits that merge a block with its only successor, if that has no other predecessor. */
export const mergeBlocks = ({ module }: Candidate): CandidateEdit[] => {
  for (const proc of module.procedures) proc.computePredecessors();
  return blocksOf(module)
    .filter(
      ([{ successors }]) => successors.length === 1 && successors[0].predecessors.length === 1,
    )
    .map(([block, proc]) => () => {
      const [next] = block.successors;
      if (next === block || next === undefined) return;
      block.values.pop();
      block.values.push(...next.values);
      for (const value of next.values) value.block = block;
      block.successors = next.successors;
      next.successors = [];
      next.values = [];
      keep(proc.blocks, (other) => other !== next);
    });
};

/** Lists edits that redirect edges around a block that only jumps. */
export const skipBlocks = ({ module }: Candidate): CandidateEdit[] =>
  blocksOf(module)
    .filter(([{ values, successors }]) => values.length === 1 && successors.length === 1)
    .map(([block, proc]) => () => {
      const [next] = block.successors;
      for (const { successors } of proc.blocks) {
        successors.forEach((to, s) => {
          if (to === block && next !== block) successors[s] = next;
        });
      }
    });

/** Lists edits that set frequencies to 1. */
export const dropFrequencies = ({ module }: Candidate): CandidateEdit[] =>
  blocksOf(module)
    .filter(([{ frequency }]) => frequency !== 1)
    .map(([block]) => () => {
      block.frequency = 1;
    });

/** Lists edits that make exits end the execution. */
export const dropContinuations = ({ module: { continuations } }: Candidate): CandidateEdit[] =>
  [...continuations.keys()].map((exit) => () => {
    continuations.delete(exit);
  });

/** Returns the numbers of slots of the frames, by exit number. */
function exitsOf({ procedures }: Module): Map<number, number[]> {
  const exits = new Map<number, number[]>();
  for (const { snapshots } of procedures) {
    for (const { exit, frames } of snapshots) {
      exits.set(
        exit,
        frames.map(({ slots }) => slots.length),
      );
    }
  }
  return exits;
}

/** Lists edits that remove a frame of an exit, and its continuation. */
export const dropFrames = ({ module }: Candidate): CandidateEdit[] =>
  [...exitsOf(module)].flatMap(([exit, frames]) =>
    frames.length < 2 ? [] : frames.map((_, f) => () => dropFrame(module, exit, f)),
  );

// Removes a frame from every snapshot of the exit, since all of them have the same frames.
function dropFrame({ procedures, continuations }: Module, exit: number, frame: number): void {
  continuations.get(exit)?.splice(frame, 1);
  for (const { snapshots } of procedures) {
    for (const snapshot of snapshots) if (snapshot.exit === exit) snapshot.frames.splice(frame, 1);
  }
}

/** Lists edits that remove a slot of a frame, and the parameter of the continuation. */
export const dropSlots = ({ module }: Candidate): CandidateEdit[] =>
  [...exitsOf(module)].flatMap(([exit, frames]) =>
    frames.flatMap((count, f) =>
      Array.from({ length: count }, (_, s) => () => dropSlot(module, exit, f, s)),
    ),
  );

function dropSlot(module: Module, exit: number, f: number, s: number): void {
  const { procedures, continuations } = module;
  let parameter = -1;
  for (const { snapshots } of procedures) {
    for (const snapshot of snapshots) {
      if (snapshot.exit !== exit) continue;
      const { slots } = snapshot.frames[f];
      if (parameterTypeFor(slots[s]) !== Void) {
        parameter = slots.slice(0, s).filter((slot) => parameterTypeFor(slot) !== Void).length;
      }
      slots.splice(s, 1);
    }
  }
  const continuation = continuations.get(exit)?.[f];
  if (continuation === undefined || parameter < 0) return;
  dropParameter(module, continuation, parameter, [0, 0]);
}

/** Lists edits that turn parameters of the entry into the constant of the first input. */
export const parametersToConstant = (candidate: Candidate): CandidateEdit[] =>
  entryParameterEdits(candidate, ([{ words }], p) => [words[2 * p], words[2 * p + 1]]);

/** Lists edits that turn parameters of the entry into zero. */
export const parametersToZero = (candidate: Candidate): CandidateEdit[] =>
  entryParameterEdits(candidate, () => [0, 0]);

function entryParameterEdits(
  candidate: Candidate,
  wordsOf: (inputs: readonly Input[], parameter: number) => readonly [number, number],
): CandidateEdit[] {
  const { module } = candidate;
  const { entry } = module;
  return entry.parameters.map((parameter) => () => {
    const p = parameter.parameterIndex;
    const bits = wordsOf(candidate.inputs, p);
    candidate.inputs = candidate.inputs.map(({ words, heapSeed }) => {
      const rest = [...words.subarray(0, 2 * p), ...words.subarray(2 * p + 2)];
      return { words: Int32Array.from(rest), heapSeed };
    });
    dropParameter(module, entry, p, bits);
  });
}

/** Lists edits that remove one input each. An engine that learns from earlier executions may need several inputs. */
export const dropInputs = (candidate: Candidate): CandidateEdit[] =>
  candidate.inputs.length < 2
    ? []
    : candidate.inputs.map((input) => () => {
        const others = candidate.inputs.filter((one) => one !== input);
        if (others.length > 0) candidate.inputs = others;
      });

/** Lists edits that remove all inputs but one. */
export const keepOneInput = (candidate: Candidate): CandidateEdit[] =>
  candidate.inputs.length < 2
    ? []
    : candidate.inputs.map((input) => () => {
        if (candidate.inputs.includes(input)) candidate.inputs = [input];
      });

/** Lists edits that simplify arguments of the inputs. */
export const simplifyArguments =
  (simplify: WordSimplifier) =>
  (candidate: Candidate): CandidateEdit[] =>
    candidate.inputs.flatMap((_, i) =>
      candidate.module.entry.parameters.flatMap(({ type }, p) => {
        const { words } = candidate.inputs[i];
        const simpler = simplify({ type, lo: words[2 * p], hi: words[2 * p + 1] });
        if (simpler === null) return [];
        return [
          () => {
            const { words: old, heapSeed } = candidate.inputs[i];
            const copy = old.slice();
            copy.set(simpler, 2 * p);
            candidate.inputs[i] = { words: copy, heapSeed };
          },
        ];
      }),
    );

/** Lists edits that make heaps start as zeroes. */
export const dropHeapSeeds = (candidate: Candidate): CandidateEdit[] =>
  candidate.inputs.flatMap(({ words, heapSeed }, i) =>
    heapSeed === 0
      ? []
      : [
          () => {
            candidate.inputs[i] = { words, heapSeed: 0 };
          },
        ],
  );

/** Lists the edit that makes the heap the smallest. */
export const shrinkHeap = ({ module }: Candidate): CandidateEdit[] =>
  module.heapSize === 4096
    ? []
    : [
        () => {
          module.heapSize = 4096;
        },
      ];

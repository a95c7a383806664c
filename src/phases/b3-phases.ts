// Judges the phases of WebKit's B3.

import { judge } from "../compare/compare.js";
import { describeDifference } from "../compare/describe-difference.js";
import { importB3 } from "../import/b3/import-b3.js";
import type { B3Compilation } from "../import/b3/read-dump.js";
import { TRAP_EXIT } from "../import/b3/surroundings.js";
import { type Input, isJudged, type Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { decodeLazily } from "../oracle/fast/decode.js";
import { Oracle } from "../oracle/fast/oracle.js";
import { decidingValuesOf } from "./decisions.js";
import { changeLowBits, drawInput, withInitialWrite } from "./input-words.js";
import { judgePhases, type PhaseVerdicts } from "./judge-phases.js";
import { type InputSpace, phaseInputs } from "./phase-inputs.js";
import type { PhaseComparison, PhaseSubject } from "./phase-subject.js";

const FUEL_MAX = 20_000;
/** A phase may multiply the executed values by `FUEL_FACTOR` and add `FUEL_MARGIN`. */
const FUEL_FACTOR = 4;
const FUEL_MARGIN = 1000;
/** The least number of inputs to keep, and the number to find for each side. */
const INPUTS_MIN = 4;
const INPUTS_PER_SIDE = 2;
/** The fuel of an execution in the search. */
const SEARCH_FUEL = 5000;

/** @throws ImportError where the text is malformed */
export const judgeB3 = (compilation: B3Compilation): PhaseVerdicts =>
  judgePhases(b3Subject(compilation));

/** @throws ImportError where the text is malformed */
function b3Subject(compilation: B3Compilation): PhaseSubject {
  const phases = importB3(compilation);
  const programs = phases.map(({ phase, isSame, module, refusal, violation }) => {
    const { name, line, text } = phase;
    const modules = module === null ? null : { before: module, after: module };
    return { name, line, text, isSame, modules, refusal: refusal, violation };
  });
  // The program after the last phase shows most clearly which values are compared.
  const first = phases.find((phase) => phase.module !== null)?.module ?? null;
  const last = phases.findLast((phase) => phase.module !== null)?.module ?? null;
  return {
    programs: () => programs,
    inputs: () => (first === null || last === null ? [] : endingInputs(first, last)),
    fuelMax: FUEL_MAX,
    fuelAfter: (used) => FUEL_FACTOR * used + FUEL_MARGIN,
    isJudged,
    compare,
    reasonToDiscard: () => null,
  };
}

/** Returns inputs for which the first program ends: the search moves some of them into long loops. */
function endingInputs(first: Module, last: Module): readonly Input[] {
  const program = decodeLazily(first);
  const oracle = new Oracle();
  return phaseInputs(last, b3Inputs(last)).filter(
    (input) => oracle.run(program, input, FUEL_MAX).ending.kind !== "out-of-fuel",
  );
}

function compare(expected: Outcome, actual: Outcome): PhaseComparison {
  const verdict = judge(expected, actual);
  if (verdict.kind === "equal") return verdict;
  if (verdict.kind === "unjudged") return { kind: "open", reason: verdict.reason };
  // The later program reads bits of a NaN, which the language leaves open.
  if (actual.ending.kind === "nan-bits") return { kind: "open", reason: "nan-bits" };
  return { kind: "different", difference: describeDifference(verdict.difference) };
}

const b3Inputs = (module: Module): InputSpace => ({
  draw: (source) => drawInput(source, module),
  withInitialWrite: (input, location) => withInitialWrite(input, location, module),
  changeLowBits: (source, input) => changeLowBits(source, input, module),
  withPreparation: (moved) => moved,
  deciding: decidingValuesOf(module.entry, (exit) => exit === TRAP_EXIT),
  inputsMin: INPUTS_MIN,
  inputsPerSide: INPUTS_PER_SIDE,
  isComparable: isJudged,
  isSearchable: ({ ending }) => ending.kind === "out-of-fuel",
  fuel: SEARCH_FUEL,
  aimFuel: undefined,
  preparation: null,
});

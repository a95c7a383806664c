// Proves the lowering of the compiler. The compiler itself lowers each tiny program. The query is
// satisfiable if for some input the LIR behaves in a way that the program does not allow.
//
// For memory the claim is: the same bytes are written at the same addresses in the same order, and
// no byte is read that the program does not read. For a guard: it exits in the same cases, and the
// exit finds the values of its snapshot. The upper half of a 32-bit parameter is arbitrary.

import { createHash } from "node:crypto";
import { selectsAt } from "../../../reference/compile.js";
import type { Level } from "../../../reference/levels.js";
import { Lir } from "../../../reference/lir/lir.js";
import { lower } from "../../../reference/lower/lower.js";
import { PARTS } from "../../../reference/parts.js";
import type { LoweringPlan } from "../../../reference/target/plan.js";
import { TARGET_NAMES, type TargetName } from "../../../reference/target/target.js";
import { any, not, SmtQuery } from "../smt.js";
import { UnknownToSolver } from "../symbolic-meanings.js";
import { anyConstant } from "../symbolic-value.js";
import {
  bitsDrafts,
  comparisonDrafts,
  constantComparisonDrafts,
  guardDrafts,
  loadedComparisonDrafts,
  truthDrafts,
} from "./condition-programs.js";
import {
  accessDrafts,
  atomicDrafts,
  constantStoreDrafts,
  fenceDrafts,
  loadedDrafts,
  movedDrafts,
} from "./memory-programs.js";
import { type ProgramDraft, programOf, type RowProgram } from "./sketch.js";
import { isEndingAllowed } from "./symbolic-ending.js";
import { SymbolicLir } from "./symbolic-lir.js";
import { SymbolicProcedure } from "./symbolic-procedure.js";
import { extensionDrafts, foldedDrafts, provedDrafts, valueDrafts } from "./value-programs.js";

/** LIR rows without claims, with the reason. */
interface UnprovedRows {
  readonly rows: RegExp;
  readonly because: string;
}

/** The LIR rows without claims. The tests print this list, and it may not grow. */
// biome-ignore format: a table
export const OUT_OF_SCOPE: readonly UnprovedRows[] = [
  { rows: /^patchpoint\./,                because: "its kinds are not operations of the language: the LIR interpreter runs them" },
  { rows: /^call|^functionAddress$/,      because: "the callee determines its effects, and the convention the locations of its arguments" },
  { rows: /^(load|store)Argument\./,      because: "the convention determines the locations of stack arguments" },
  { rows: /^framePointer$/,               because: "only patchpoints take it" },
  { rows: /^oops$/,                       because: "it is never reached" },
  { rows: /^fmods[sd]$/,                  because: "the solver has no operation for the remainder of floats" },
];

export interface RowInstance {
  /** The name of the claim: target, level, and the program as an expression. */
  readonly name: string;
  readonly program: RowProgram;
  readonly target: TargetName;
  readonly level: Level;
  /** The solver query; null if the claim is excluded. */
  readonly question: string | null;
  readonly hash: string;
  /** The reason why the claim is excluded; null if it is not. */
  readonly excluded: string | null;
  /** The names of the rows that lowering chose. */
  readonly rows: readonly string[];
}

interface ProgramFamily {
  readonly drafts: () => Iterable<ProgramDraft>;
  readonly levels: readonly Level[];
  readonly halves?: true;
}

// The families of small programs, each with the levels at which it is lowered. At O0 no operand
// computation is folded into an instruction.
// biome-ignore format: a table
const FAMILIES: readonly ProgramFamily[] = [
  { drafts: valueDrafts,            levels: ["O0", "O1"] },
  { drafts: extensionDrafts,        levels: ["O1"] },
  { drafts: foldedDrafts,           levels: ["O1"] },
  { drafts: provedDrafts,           levels: ["O1"] },
  { drafts: comparisonDrafts,       levels: ["O1"] },
  { drafts: loadedComparisonDrafts, levels: ["O1"] },
  { drafts: constantComparisonDrafts, levels: ["O1"] },
  { drafts: bitsDrafts,              levels: ["O1"] },
  { drafts: truthDrafts,            levels: ["O0", "O1"] },
  { drafts: guardDrafts,            levels: ["O1"] },
  { drafts: accessDrafts,           levels: ["O1"] },
  { drafts: constantStoreDrafts,    levels: ["O1"] },
  { drafts: fenceDrafts,            levels: ["O1"] },
  { drafts: atomicDrafts,           levels: ["O1"] },
  { drafts: loadedDrafts,           levels: ["O1"] },
  { drafts: movedDrafts,            levels: ["O1"], halves: true },
];

type PlansByTarget = { readonly [T in TargetName]: LoweringPlan };

const lir = new Lir();

/**
 * Yields every claim about lowering once: that the LIR of a small program behaves as the program.
 * @param plans the compiler's lowering tables; others only to plant a bug
 * @param isWanted selects claims by name
 */
export function* rowInstances(
  plans: PlansByTarget = PARTS.plans,
  isWanted: (name: string) => boolean = () => true,
): Generator<RowInstance> {
  const names = new Set<string>();
  for (const { drafts, levels, halves } of FAMILIES) {
    for (const draft of drafts()) {
      const program = programOf(draft, halves ?? false);
      for (const level of levels) {
        for (const target of TARGET_NAMES) {
          const name = `${target} ${level}: ${program.name}`;
          if (names.has(name) || !isWanted(name)) continue;
          names.add(name);
          yield instanceOf(name, program, target, level, plans[target]);
        }
      }
    }
  }
}

const HASH_DIGITS = 24;

function instanceOf(
  name: string,
  program: RowProgram,
  target: TargetName,
  level: Level,
  plan: LoweringPlan,
): RowInstance {
  const { entry } = program.module;
  lir.reset();
  lower(entry, plan, lir, {
    selects: selectsAt(level),
    halves: program.halves,
    indexOf: () => 0,
    returnsDeoptimizationFlag: false,
  });
  const rows = Array.from(
    lir.opcode.subarray(0, lir.instructionCount),
    (row) => plan.rows[row].name,
  );
  const common = { name, program, target, level, rows };
  try {
    const question = questionOf(program, plan);
    const hash = createHash("sha256").update(question).digest("hex").slice(0, HASH_DIGITS);
    return { ...common, question, hash, excluded: null };
  } catch (error) {
    if (!(error instanceof UnknownToSolver)) throw error;
    return { ...common, question: null, hash: "", excluded: error.message };
  }
}

/**
 * Returns the query. It is satisfiable exactly if for some input the LIR behaves in a way that the
 * program does not allow.
 */
function questionOf({ module: { entry } }: RowProgram, plan: LoweringPlan): string {
  const query = new SmtQuery(true);
  const inputs = entry.parameters.map(({ type }, i) => anyConstant(query, `x${i}`, type));
  const before = new SymbolicProcedure(query, entry);
  const expected = before.run(inputs);
  const after = new SymbolicLir(query, lir, plan, entry);
  const allowed = isEndingAllowed(expected, after.run(inputs));
  query.assert(not(any(before.forbidden)));
  query.assert(any([...after.faults, ...(allowed === "true" ? [] : [not(allowed)])]));
  return query.text;
}

// Describes how an execution ends, for the solver: a tree of the conditions that decide it.

import { InternalError } from "../../support/assert.js";
import { all, choose, type SmtTerm } from "../smt.js";
import { isAllowed, isSameTerm, type SymbolicValue } from "../symbolic-value.js";
import type { SymbolicMemory } from "./symbolic-memory.js";

export type SymbolicEnding =
  | {
      readonly kind: "return";
      /** The returned value; null if nothing is returned. */
      readonly value: SymbolicValue | null;
      readonly memory: SymbolicMemory;
    }
  | {
      readonly kind: "exit";
      /** The id of the snapshot by which the guard exits. */
      readonly id: number;
      /**
       * Values that the snapshot contains, or that its exit block computes with (snapshotLeaves).
       */
      readonly leaves: readonly SymbolicValue[];
      readonly memory: SymbolicMemory;
    }
  | { readonly kind: "oops" }
  | {
      readonly kind: "choice";
      readonly claim: SmtTerm;
      readonly whenTrue: SymbolicEnding;
      readonly whenFalse: SymbolicEnding;
    };

/** Returns a term that is true if the first ending allows the second. */
export function isEndingAllowed(before: SymbolicEnding, after: SymbolicEnding): SmtTerm {
  if (before.kind === "choice" && after.kind === "choice" && before.claim === after.claim) {
    return chosen(
      before.claim,
      isEndingAllowed(before.whenTrue, after.whenTrue),
      isEndingAllowed(before.whenFalse, after.whenFalse),
    );
  }
  if (before.kind === "choice") {
    const [yes, no] = [before.whenTrue, before.whenFalse].map((way) => isEndingAllowed(way, after));
    return chosen(before.claim, yes, no);
  }
  if (after.kind === "choice") {
    const [yes, no] = [after.whenTrue, after.whenFalse].map((way) => isEndingAllowed(before, way));
    return chosen(after.claim, yes, no);
  }
  if (before.kind === "oops") return "true";
  if (before.kind === "return" && after.kind === "return") {
    return both([isValueAllowed(before.value, after.value), before.memory.isSameAs(after.memory)]);
  }
  if (before.kind === "exit" && after.kind === "exit" && before.id === after.id) {
    const shown = before.leaves.map((leaf, i) => isValueAllowed(leaf, after.leaves[i]));
    return both([...shown, before.memory.isSameAs(after.memory)]);
  }
  return "false";
}

function isValueAllowed(before: SymbolicValue | null, after: SymbolicValue | null): SmtTerm {
  if (before === null || after === null) return before === after ? "true" : "false";
  if (before.kind !== after.kind || before.type !== after.type)
    throw new InternalError("a value of another type is returned or shown");
  return isSameTerm(before, after) ? "true" : isAllowed(before, after);
}

const chosen = (claim: SmtTerm, yes: SmtTerm, no: SmtTerm): SmtTerm =>
  yes === no ? yes : choose(claim, yes, no);

function both(claims: readonly SmtTerm[]): SmtTerm {
  const open = claims.filter((claim) => claim !== "true");
  if (open.includes("false")) return "false";
  return open.length === 0 ? "true" : all(open);
}

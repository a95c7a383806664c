// Tests that the registry of patchpoints covers each constraint on an operand or a result, and each way to clobber a
// register, by at least two kinds, so that a mistake in one kind is visible.

import test from "ava";
import { PATCHPOINTS, type PatchpointKind } from "./patchpoints.js";
import { Int64, Void } from "./types.js";

/** All constraints of operands and results, and ways to destroy registers. */
const FORMS: readonly string[] = [
  ...[
    "warm",
    "cold",
    "late-cold",
    "register",
    "late",
    "copied",
    "stack",
    "argument",
    "constant",
    "keepAlive",
  ],
  ...["named", "late named", "slot", "frame"],
  ...["gives register", "gives early", "gives same", "gives stack", "gives named", "gives nothing"],
  "gives %result",
  ...["early", "late clobber", "general", "vector"],
  ...["pure", "kept", "read", "write", "exit", "terminal", "total"],
];

const formsOf = (kind: PatchpointKind): string[] => [
  ...kind.parameters.map(({ place, isLate }) =>
    place === "named" && isLate ? "late named" : place,
  ),
  ...kind.parameters.flatMap(({ address }) => (address === null ? [] : [address])),
  kind.result === Void ? "gives nothing" : `gives ${kind.resultPlace}`,
  ...(kind.resultRegister === "%result" ? ["gives %result"] : []),
  ...(kind.early.length > 0 ? ["early"] : []),
  ...(kind.late.length > 0 ? ["late clobber"] : []),
  ...kind.scratch,
  kind.effect,
  ...(kind.isTotal ? ["total"] : []),
];

test("there are twelve kinds or more, and each form is used at least twice", (t) => {
  t.true(PATCHPOINTS.length >= 12);
  const used = PATCHPOINTS.flatMap(formsOf);
  for (const form of FORMS) {
    t.true(used.filter((other) => other === form).length >= 2, form);
  }
  for (const form of used) t.true(FORMS.includes(form), form);
});

test("the columns of each row are consistent", (t) => {
  for (const { name, parameters, ...kind } of PATCHPOINTS) {
    const hasMemory = kind.effect === "read" || kind.effect === "write";
    t.is(kind.bytes > 0, hasMemory, name);
    if (hasMemory) t.is(parameters[0].type, Int64, name);
    if (kind.isTotal) t.is(kind.effect, "pure", name);
    if (kind.resultPlace === "same") {
      t.is(parameters[0].type, kind.result, name);
      t.is(parameters[0].place, "register", name);
    }
    // Nothing runs after a kind that ends the activation.
    if (kind.effect === "terminal") {
      t.is(kind.late.length, 0, name);
      t.false(
        parameters.some(({ place }) => place === "copied"),
        name,
      );
    }
  }
});

import test from "ava";
import { magicProofs } from "./magic-proofs.js";

test("division by multiplication gives the right quotient, by each sequence and at each width", (t) => {
  const proofs = [...magicProofs(false)];
  for (const { wrong } of proofs) t.is(wrong, null);
  for (const { rule, bits, divisors } of proofs) t.true(divisors > 0, `${rule}, ${bits} bits`);
  t.is(new Set(proofs.map(({ rule }) => rule)).size, 4);
  t.is(proofs.length, 16);
});

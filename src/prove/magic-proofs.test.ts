import test from "ava";
import { MAGIC_RULES, magicProofs } from "./magic-proofs.js";

test("division by multiplication divides, by each sequence and at each width", (t) => {
  const proofs = [...magicProofs(false)];
  for (const { wrong } of proofs) t.is(wrong, null);
  t.is(proofs.length, 4 * MAGIC_RULES.length);
  for (const { rule, bits, divisors } of proofs) t.true(divisors > 0, `${rule}, ${bits} bits`);
  t.is(MAGIC_RULES.length, 4);
});

import test from "ava";
import { IMPRECISE, QUICK_WORLDS, rangeProofs } from "./range-proofs.js";

const PRECISE_AT = "3 bits";

test("transfer functions contain every result at a few bits, and are exact except the listed ones", (t) => {
  const proofs = [...rangeProofs(QUICK_WORLDS)];
  for (const { wrong } of proofs) t.is(wrong, null);
  const seen = proofs
    .filter(({ world, best, tuples }) => world === PRECISE_AT && best < tuples)
    .map(({ opcode, best }) => ({ opcode, best }));
  const listed = IMPRECISE.map(({ opcode, best }) => ({ opcode, best }));
  const byName = (x: { opcode: string }, y: { opcode: string }) => (x.opcode < y.opcode ? -1 : 1);
  t.deepEqual(seen.sort(byName), listed.sort(byName));
  t.true(proofs.length > 100, `${proofs.length}`);
});

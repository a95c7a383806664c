// Tests seeds whose programs were invalid. A change of the generator gives them other programs;
// until then each is a regression test.

import test from "ava";
import { describeFault, verify } from "../../ir/verify/verify.js";
import { generatedOf } from "./seeds.js";

for (const [seed, was] of [
  [700013357n, "the address of a procedure, which a call had taken, was converted to a float"],
] as const) {
  test(`seed ${seed} names a program: ${was}`, (t) => {
    t.deepEqual(verify(generatedOf(seed).module).map(describeFault), []);
  });
}

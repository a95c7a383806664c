// Checks that an exported file contains exactly the helpers that its programs reach.

import test from "ava";
import { parseModule } from "../../ir/text/parse.js";
import { exportC } from "./export-c.js";

const fileOf = (opcode: string): string =>
  exportC([
    parseModule(`touchstone 1
proc f(Int64 @0, Int64 @1) -> Int64
#0:
  Int64 @2 = ${opcode}
  Void @3 = Return(@2)
`),
  ]);
const helpersOf = (text: string): string[] => [
  ...new Set([...text.matchAll(/^static \w+ (t_\w+)\(.*\{/gm)].map(([, name]) => name)),
];

test("a sum needs only the helper of its arguments", (t) => {
  const text = fileOf("Add(@0, @1)");
  const runtime = ["t_load_Int64", "t_truncs32", "t_clz64", "t_umulhigh64"];
  t.deepEqual(
    helpersOf(text).filter((name) => runtime.includes(name)),
    ["t_load_Int64"],
  );
  t.notRegex(text, /#if [^\n]*\n(#else\n)?#endif/);
});

test("a helper includes its callees and its alternative definition", (t) => {
  const text = fileOf("MulHigh(@0, @1)");
  t.is(text.match(/ t_mulhigh64\(uint64_t/g)?.length, 2);
  t.is(text.match(/ t_umulhigh64\(uint64_t/g)?.length, 2);
  t.notRegex(text, /t_truncs32/);
});

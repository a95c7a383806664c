import test from "ava";
import { checkImmediates, hasImmediate, IMMEDIATE_NAMES, IMMEDIATES } from "./immediates.js";
import { ALL_OPCODES, nameOfOpcode } from "./opcodes.js";
import { Value } from "./procedure.js";
import { Void } from "./types.js";

checkImmediates();

test("an accessor gives the field that the table names, and throws for other opcodes", (t) => {
  for (const opcode of ALL_OPCODES) {
    for (const name of IMMEDIATE_NAMES) {
      const value = new Value(7, opcode, Void);
      if (hasImmediate(opcode, name)) {
        value[name] = 3;
        t.is(value[name], 3);
        t.is(value[IMMEDIATES[name].field], 3);
      } else {
        const message = `@7: ${nameOfOpcode(opcode)} has no ${name}`;
        t.throws(() => value[name], { message });
        t.throws(() => (value[name] = 3), { message });
      }
    }
  }
});

test("no opcode has two immediates in one field", (t) => {
  for (const opcode of ALL_OPCODES) {
    const fields = IMMEDIATE_NAMES.filter((name) => hasImmediate(opcode, name)).map(
      (name) => IMMEDIATES[name].field,
    );
    t.is(new Set(fields).size, fields.length, nameOfOpcode(opcode));
  }
});

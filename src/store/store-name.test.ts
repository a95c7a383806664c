// The address of a store: a password that cuts it is not printed, and the message contains how to write it.

import test from "ava";
import { parseStoreName } from "./store-name.js";

for (const sign of ["/", "?", "#"]) {
  test(`a password with ${sign} gets the hint to encode it`, (t) => {
    const error = t.throws(() => parseStoreName(`postgres://u:pa${sign}ss@host/db`));
    t.regex(error?.message ?? "", /%2F %3F %23$/);
    t.notRegex(error?.message ?? "", /:pa|ss@/);
  });
}

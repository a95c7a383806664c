// Tests that a finding that was not reproduced in fresh processes has a doubt, which the console prints.

import test from "ava";
import { doubtOf } from "./finding.js";

const every = { runs: 3, differed: 3 };
const none = { runs: 3, differed: 0 };

test("a difference that shows in each fresh process, or did not run again, has no doubt", (t) => {
  t.is(doubtOf({ confirmed: every, confirmedReduced: every }), null);
  t.is(doubtOf({ confirmed: null, confirmedReduced: null }), null);
});

test("a difference that is missing in a fresh process has a doubt, which names the program", (t) => {
  t.is(
    doubtOf({ confirmed: none, confirmedReduced: null }),
    "not confirmed: as found, in 0 of 3 fresh processes",
  );
  t.is(
    doubtOf({ confirmed: every, confirmedReduced: { runs: 3, differed: 1 } }),
    "flaky: reduced, in 1 of 3 fresh processes",
  );
});

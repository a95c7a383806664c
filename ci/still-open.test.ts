import test from "ava";
import { faultsBeside } from "./still-open.js";

test("an open fault is allowed, a new one is not, and an entry that is no longer needed is one", (t) => {
  const faults = ["a", "b"].map((place) => ({ place, what: "long" }));
  t.deepEqual(faultsBeside(["a", "b"], faults), []);
  t.deepEqual(faultsBeside(["a"], faults), ["b: long"]);
  t.deepEqual(faultsBeside(["a", "b"], faults.slice(1)), [
    "a: nothing is wrong any more, take it off the list of open faults",
  ]);
});

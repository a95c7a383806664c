// Tests the message of a crash: its last line, and the name that two crashes of one bug share.

import test from "ava";
import { lastLineOf, messageOf, nameOfCrash } from "./crash-message.js";

const crash = (evidence: string) =>
  messageOf({ events: [], ending: { kind: "crash", evidence } }) ?? "";

test("the last line that is no frame of a stack is the message", (t) => {
  t.is(lastLineOf(crash("a note\nno builtin clz64\n\n")), "no builtin clz64");
  t.is(
    lastLineOf("TypeError: no ctz\n    at f (file:///x.mjs:3:4)\n    at g.js:7:1\n"),
    "TypeError: no ctz",
  );
  t.is(
    lastLineOf("was ended by SIGABRT; it wrote: a note\nfatal: no register\n 6: onRead (x.js:1)\n"),
    "was ended by SIGABRT; it wrote: fatal: no register",
  );
  t.is(lastLineOf("\n"), "");
  t.is(lastLineOf("x".repeat(5000)).length, 203);
  t.is(messageOf(null), null);
  t.is(messageOf({ events: [], ending: { kind: "runaway" } }), null);
});

test("crashes of one bug have the same name, crashes of two bugs have different names", (t) => {
  const nameOf = (evidence: string) =>
    nameOfCrash({ events: [], ending: { kind: "crash", evidence } });
  const first = nameOf("/tmp/a1/cc.py:12: KeyError: 'clz' at 0x7f12");
  t.is(first, "cc.py:N: KeyError: clz at N");
  t.is(nameOf("ended with status 1; it wrote: a note\n/x/cc.py:9: KeyError: 'clz' at 0x5"), first);
  t.is(nameOf("a note\n/home/u/t9/cc.py:9: KeyError: 'clz' at 0x55\n"), first);
  t.not(nameOf("/home/u/t9/cc.py:9: KeyError: 'ctz' at 0x55"), first);
  for (const any of ["was ended by SIGSEGV", "trap: unreachable", ""]) t.is(nameOf(any), null);
});

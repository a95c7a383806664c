// Describes the profiles that the page draws programs of.

import { describeWorlds } from "../worlds/worlds.js";

// biome-ignore format: a table
const HELP: Readonly<Record<string, string>> = {
  usual: "all kinds of programs; some are mutated, and some take each of their exits",
  pressure: "more live values than registers: allocators spill and split",
  memory: "many loads and stores, to the heap and to stack slots",
  exits: "guards that fail, with exit blocks, inlined frames and continuations",
  control: "nested and irreducible loops, and paths that are never taken",
  patchpoints: "patchpoints, whose operands have fixed places",
  traced: "short loops and calls, as a trace recorder accepts",
  objects: "objects that do not escape, so that exits must rebuild them",
  boxes: "values with a tag and a payload, as in dynamic languages",
  small: "usual programs of few values",
  mutated: "usual programs with one to eight mutations",
  "each-exit": "usual programs; each reached guard fails on its first visit",
  evolved: "usual programs, and mutations of those with rare features",
  mixed: "usual programs, some with other dials, and all kinds of worlds",
  bytecode: "random bytecode, as a program that interprets it",
  worlds: "small programs, enumerated by number: all kinds in turn",
};

/** Returns the description; null if there is none. */
export const describeProfile = (name: string): string | null => {
  const worlds = describeWorlds(name);
  return HELP[name] ?? (worlds === null ? null : `small programs, enumerated by number: ${worlds}`);
};

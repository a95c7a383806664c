// Which programs a campaign judges: program i of a campaign from seed S on is that of seed S + i.

import { generateProgram, type Program } from "../generate/generate-program.js";
import { SeedSource } from "../support/source.js";
import { RULE_PATTERNS } from "./rule-patterns.js";

/** The seed of program `index`; seeds are numbers of 64 bits, and go round. */
export const seedAt = (first: bigint, index: number): bigint =>
  BigInt.asUintN(64, first + BigInt(index));

/** The index of the program of `seed`. */
export const indexOf = (first: bigint, seed: bigint): number =>
  Number(BigInt.asUintN(64, seed - first));

/** The program of a seed, with its inputs: the same for a campaign, a replay and a measurement. */
export function programOf(seed: bigint): Program {
  const source = new SeedSource(seed);
  return generateProgram(source, {}, source, RULE_PATTERNS);
}

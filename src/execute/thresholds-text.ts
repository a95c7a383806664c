// Parses and prints the thresholds for recording as a word of the command line:
// `hotLoop=1,valuesMax=60`. Absent thresholds have their usual value.

import { type Thresholds, USUAL_THRESHOLDS } from "../record/thresholds.js";

type ThresholdName = keyof Thresholds;
const NAMES = Object.keys(USUAL_THRESHOLDS) as readonly ThresholdName[]; // the keys of that object
const MAX = 1_000_000;

/** Prints the form that `parseThresholds` reads. */
export function printThresholds(thresholds: Thresholds): string {
  const others = NAMES.filter((name) => thresholds[name] !== USUAL_THRESHOLDS[name]);
  return others.map((name) => `${name}=${Number(thresholds[name])}`).join(",") || "usual";
}

/** @returns an error message if the text is malformed */
export function parseThresholds(text: string): Thresholds | string {
  if (text === "usual") return USUAL_THRESHOLDS;
  let thresholds = USUAL_THRESHOLDS;
  for (const part of text.split(",")) {
    const [, word = "", digits = ""] = /^([A-Za-z]+)=(\d{1,7})$/.exec(part) ?? [];
    const name = NAMES.find((known) => known === word);
    const number = Number(digits);
    if (name === undefined || number > MAX) {
      return `expected usual, or NAME=N of ${NAMES.join(", ")}, not '${part}'`;
    }
    const isFlag = typeof USUAL_THRESHOLDS[name] === "boolean";
    thresholds = { ...thresholds, [name]: isFlag ? number !== 0 : number };
  }
  return thresholds;
}

// Sums symptoms over subjects, because one bug often appears in dozens of similar subjects.

import { splitSymptom } from "../../src/report/bucket.js";

interface SymptomCount {
  readonly what: string;
  /** Pairs of a program and a subject. */
  findings: number;
  /** In order of occurrence; empty if the symptom has no subject. */
  readonly subjects: string[];
}

/**
 * Returns the symptoms, the most frequent first.
 * @param symptoms seeds with a finding, by symptom
 */
export function sumOfSubjects(symptoms: Readonly<Record<string, number>>): SymptomCount[] {
  const sums = new Map<string, SymptomCount>();
  for (const [symptom, count] of Object.entries(symptoms)) {
    const { what, subject } = splitSymptom(symptom);
    const sum = sums.get(what) ?? { what, findings: 0, subjects: [] };
    sums.set(what, sum);
    sum.findings += count;
    if (subject !== null) sum.subjects.push(subject);
  }
  return [...sums.values()].sort((a, b) => b.findings - a.findings);
}

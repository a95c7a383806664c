// Finds the sentences and names that break a rule of prose.

import { parse } from "../parse-sources.js";
import type { ProjectFiles } from "../project-files.js";
import { COMMIT_SUBJECT, PROSE_RULES, SUBJECT_LENGTH_MAX, TYPE_NAME } from "./rules.js";
import { commentsOf, messagesOf, type ProseText, proseOfMarkdown, typeNamesOf } from "./texts.js";

const SOURCE = /\.(ts|mjs)$/;
const WORDS_AROUND = 60;

/** Returns one line for each fault: `path:line: rule: the words (advice)`. */
export function proseFaults(files: ProjectFiles): string[] {
  const sources = new Map([...files].filter(([path]) => SOURCE.test(path)));
  const faults: string[] = [];
  for (const [path, text] of files) {
    if (path.endsWith(".md")) faults.push(...faultsOf(path, proseOfMarkdown(text)));
  }
  for (const [path, file] of parse(sources)) {
    faults.push(...faultsOf(path, [...commentsOf(file), ...messagesOf(file)]));
    for (const { line, name } of typeNamesOf(file)) {
      if (TYPE_NAME.test(name))
        faults.push(
          `${path}:${line}: the type name ${name} is too general (add the word of its domain)`,
        );
    }
  }
  return faults;
}

function faultsOf(path: string, texts: readonly ProseText[]): string[] {
  return texts.flatMap(({ line, text }) =>
    PROSE_RULES.flatMap(({ name, pattern, instead }) => {
      const found = pattern.exec(text);
      if (found === null) return [];
      const words = text.slice(Math.max(0, found.index - 20), found.index + WORDS_AROUND);
      return [`${path}:${line}: ${name}: ${words} (${instead})`];
    }),
  );
}

/** Returns the faults of a commit's subject: none where it is `area: imperative`. */
export function subjectFaults(subject: string): string[] {
  const faults: string[] = [];
  if (subject.length > SUBJECT_LENGTH_MAX)
    faults.push(`${subject}: ${subject.length} characters, at most ${SUBJECT_LENGTH_MAX}`);
  if (!COMMIT_SUBJECT.test(subject)) faults.push(`${subject}: expected \`area: imperative\``);
  return faults;
}

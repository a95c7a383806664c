// Quotes words of a command line for a shell.

/** Returns the word in single quotes; a quote inside is escaped (POSIX, Shell Command Language, 2.2.2). */
export const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

const PLAIN = /^[\w@%+=:,./-]+$/;

/** Returns the word in quotes, if a shell would read it otherwise. */
export const shellWord = (word: string): string => (PLAIN.test(word) ? word : quoted(word));

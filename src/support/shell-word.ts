// Words of a command line for a shell.

/** The word in quotes that nothing inside can end (POSIX, Shell Command Language, 2.2.2). */
export const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

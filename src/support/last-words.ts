// Finds the line of a dead process's standard error that names the error.

/** Lines that name no error: frames of JavaScript and native stacks, and the line with Node's version after them. */
const NO_ERROR = /^\s*(at |Node\.js v|\d+: 0x[0-9a-f]+|-{3,}.*|$)/;
const NAMES_ERROR = /^(Uncaught )?(\w*Error\b.*:|FATAL ERROR|fuzz: )/;

/**
 * Returns the line that names the error, or the last line.
 * @returns "" if it wrote nothing
 */
export function lastWords(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => !NO_ERROR.test(line));
  const line = lines.findLast((each) => NAMES_ERROR.test(each)) ?? lines.at(-1) ?? "";
  return line.trim();
}

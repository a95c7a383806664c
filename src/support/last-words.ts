// The line of a dead process's standard error that names the error.

/** Node ends a stack with its version; the frames before it name no error. */
const NO_ERROR = /^\s*(at |Node\.js v|$)/;
const NAMES_ERROR = /^(Uncaught )?(\w*Error\b.*:|FATAL ERROR|fuzz: )/;

/** @returns "" if it wrote nothing */
export function lastWords(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => !NO_ERROR.test(line));
  const line = lines.findLast((each) => NAMES_ERROR.test(each)) ?? lines.at(-1) ?? "";
  return line.trim();
}

// Reads the options of the scripts here: a wrong option gives one line, and status 2.

import { basename } from "node:path";
import { parseArgs } from "node:util";

/** As `parseArgs` of Node. */
export function readOptions(config) {
  try {
    return parseArgs(config);
  } catch (error) {
    if (!String(error.code).startsWith("ERR_PARSE_ARGS")) throw error;
    const [message] = error.message.split(". ");
    const known = Object.keys(config.options ?? {}).map((name) => `--${name}`);
    const script = basename(process.argv[1]);
    console.error(`${script}: ${message}: options are ${known.join(", ") || "none"}`);
    process.exit(2);
  }
}

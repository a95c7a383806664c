// Writes the file of a report that runs a script in a browser, without Touchstone:
//
//   browser.sh    sh browser.sh SCRIPT writes page.html, and prints what the script prints

import type { FileContents } from "../engine-subject.js";
import { BROWSERS, type BrowserName } from "./browsers.js";

/** Runs a script of the folder, in place of an engine with flags. */
export const BROWSER_COMMAND = "sh browser.sh";

const PREFIX = "print: ";
const END = "the script has ended";

/** Runs the browser until the page has written its end. */
const HOW_TO_PRINT: Readonly<Record<BrowserName, (command: string) => string>> = {
  chromium: (command) =>
    `${command} --dump-dom "file://$PWD/page.html" > printed.txt 2> errors.txt`,
  firefox: (command) => `${command} "file://$PWD/page.html" > printed.txt 2> errors.txt &
until grep -q "^${PREFIX}${END}" printed.txt; do kill -0 $! || break; sleep 1; done
kill -9 $!`,
};

export function browserFiles(
  name: BrowserName,
  program: string,
  flags: readonly string[],
): FileContents {
  const { args, env, preferences } = BROWSERS[name].start(flags, "$profile");
  const settings = Object.entries(env).map(([key, value]) => `${key}=${value} `);
  const command = `${settings.join("")}${program} ${args.map((arg) => `"${arg}"`).join(" ")}`;
  const text = `#!/bin/sh
# Runs a script of this folder in the browser, and prints what it prints: sh browser.sh SCRIPT
cd "$(dirname "$0")" || exit 1
profile=$(mktemp -d)
cat > "$profile/user.js" << 'USER'
${preferences}USER
bytes=$([ ! -f program.wasm ] || od -An -v -tu1 program.wasm | tr -s ' \\n' ',,' | sed 's/^,//; s/,$//')
cat > page.html << PAGE
<pre></pre><script>
globalThis.readFile = () => Uint8Array.from([$bytes]);
globalThis.print = (text) => {
  const line = "${PREFIX.slice(0, 2)}" + "${PREFIX.slice(2)}" + text + "\\n"; // Chromium prints this script too
  document.querySelector("pre").append(line);
  globalThis.dump?.(line);
};
</script><script src="$1"></script><script>print("${END}")</script>
PAGE
${HOW_TO_PRINT[name](command)}
rm -rf "$profile"
sed -n 's/^.*${PREFIX}//p' printed.txt | grep -v "^${END}"
`;
  return { "browser.sh": text };
}

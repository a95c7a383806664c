// Lists the browsers: how each is found, and the words that start it without a window, also for
// root, and without connections to other machines.

import { fileURLToPath } from "node:url";
import { pathOf } from "../path-of.js";

export type BrowserName = "chromium" | "firefox";

interface BrowserStart {
  readonly args: readonly string[];
  /** Settings of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The contents of `user.js` in its profile; empty: it has none. */
  readonly preferences: string;
}

interface Browser {
  readonly programs: readonly string[];
  readonly package: string;
  /** As root, Chromium starts only without its sandbox. */
  readonly flags: readonly string[];
  /**
   * @param flags flags of V8, or preferences of Firefox: `NAME=VALUE`
   * @param profile a folder, which need not exist
   */
  readonly start: (flags: readonly string[], profile: string) => BrowserStart;
}

/** An address without a server. */
const NOWHERE = { host: "127.0.0.1", port: 9 };

const CHROMIUM_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
const CHROMIUM_ALONE = [
  ...["--headless", "--no-first-run", "--disable-extensions", "--disable-sync"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-breakpad"],
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

// In automation, workers of Firefox have functions that report its compilers. Firefox then permits
// no connection to another machine.
const AUTOMATION = "security.turn_off_all_security_so_that_viruses_can_take_over_this_computer";
const FIREFOX_PREFERENCES = [
  `${AUTOMATION}=true`,
  "network.proxy.type=1",
  ...["http", "ssl"].flatMap((kind) => [
    `network.proxy.${kind}="${NOWHERE.host}"`,
    `network.proxy.${kind}_port=${NOWHERE.port}`,
  ]),
  "network.http.response.timeout=0",
  "browser.dom.window.dump.enabled=true", // for browser-reproducer.ts
  "browser.startup.page=0",
  "dom.ipc.processPrelaunch.enabled=false",
];

export const BROWSERS: Readonly<Record<BrowserName, Browser>> = {
  chromium: {
    programs: ["chromium", "chromium-browser", "google-chrome"],
    package: "chromium",
    flags: CHROMIUM_FLAGS,
    start: (flags, profile) => ({
      args: [
        ...[...CHROMIUM_FLAGS, ...CHROMIUM_ALONE, `--user-data-dir=${profile}`],
        `--js-flags=${flags.join(" ")}`,
      ],
      env: {},
      preferences: "",
    }),
  },
  firefox: {
    programs: ["firefox-esr", "firefox"],
    package: "firefox-esr",
    flags: [],
    start: (flags, profile) => ({
      args: ["--headless", "--no-remote", "--profile", profile],
      env: { MOZ_DISABLE_NONLOCAL_CONNECTIONS: "1", MOZ_CRASHREPORTER_DISABLE: "1" },
      preferences: [...FIREFOX_PREFERENCES, ...flags]
        .map((preference) => {
          const [name, value] = preference.split("=");
          return `user_pref("${name}", ${value});\n`;
        })
        .join(""),
    }),
  },
};

const BROWSER_SHELL = fileURLToPath(new URL("./browser-shell.js", import.meta.url));

/** Returns the words before the browser, its flags and a script. */
export const browserShell = (name: BrowserName): readonly string[] => [
  ...[process.execPath, BROWSER_SHELL],
  name,
];

/** Returns the parts that each row of a browser has; the program is a path if this machine has it. */
export function ofBrowser(browser: BrowserName) {
  const { programs, package: name } = BROWSERS[browser];
  const program = programs.map(pathOf).find((path) => path !== null) ?? programs[0];
  return { browser, program, version: [program, "--version"], install: `apt-get install ${name}` };
}

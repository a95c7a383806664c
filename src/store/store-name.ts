// Parses the name of a store: a folder, in which the store has a database of its own, or the URL of
// a PostgreSQL server. A URL may contain a password, which is passed to the server and nowhere
// else.

import { StoreError } from "./store-error.js";

export type StoreName =
  | { readonly kind: "embedded"; readonly folder: string; readonly shown: string }
  | { readonly kind: "server"; readonly url: string; readonly shown: string };

/**
 * Parses the name of a store.
 * @returns the store, with a name without password in `shown`
 * @throws StoreError
 */
export function parseStoreName(text: string): StoreName {
  if (text === "") throw new StoreError("usage", "a store has a name: a folder, or postgres://...");
  // A keyword string of libpq would become the name of a folder, and be printed, although it may
  // contain a password.
  if (/(^|\s)(host|hostaddr|port|dbname|user|password|passfile|service)\s*=/i.test(text)) {
    throw new StoreError("usage", "store KEYWORD=...: expected postgres://USER@HOST/DATABASE");
  }
  // A URL without its slashes is refused, too: no folder gets a password as its name.
  if (!/^([a-z][a-z0-9+.-]*:\/\/|postgres(ql)?:)/i.test(text)) {
    return { kind: "embedded", folder: text, shown: text };
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  // If the URL has no user, or is invalid, an unescaped character of the password has cut it.
  const isCut = (url === null || url.username === "") && text.includes("@");
  if (url === null || isCut || !/^postgres(ql)?:\/\//i.test(text)) {
    const shown = /^[^:]*:(\/\/)?/.exec(text)?.[0] ?? ""; // the rest may contain a password
    const cut = isCut ? ", and / ? # of a password as %2F %3F %23" : "";
    throw new StoreError(
      "usage",
      `store ${shown}...: expected postgres://USER@HOST/DATABASE${cut}`,
    );
  }
  if (url.pathname.length < 2) {
    const shown = withoutSecrets(url);
    throw new StoreError("usage", `store ${shown}: expected a database: ${shown}/touchstone`);
  }
  return { kind: "server", url: text, shown: withoutSecrets(url) };
}

/** Parameters of a URL that are shown. All others are left out, because some contain a password. */
const HARMLESS = new Set(["host", "port", "user", "sslmode"]);

function withoutSecrets(url: URL): string {
  const shown = new URL(url);
  shown.password = "";
  shown.hash = "";
  for (const name of [...shown.searchParams.keys()]) {
    if (!HARMLESS.has(name)) shown.searchParams.delete(name);
  }
  return shown.toString().replace(/\/$/, "");
}

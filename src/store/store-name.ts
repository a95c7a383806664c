// What a user names as a store: a folder, in which a database of its own is kept, or a PostgreSQL server by
// its URL. A password may stand in the URL; it is passed on to the server and nowhere else.

import { StoreError } from "./store-error.js";

export type StoreName =
  | { readonly kind: "embedded"; readonly folder: string; readonly shown: string }
  | { readonly kind: "server"; readonly url: string; readonly shown: string };

/**
 * @returns `shown` may be printed: it has no password
 * @throws StoreError
 */
export function parseStoreName(text: string): StoreName {
  if (text === "") throw new StoreError("usage", "a store has a name: a folder, or postgres://...");
  // A folder by this name would be made, and its name printed: the words of libpq may hold a password.
  if (/(^|\s)(host|hostaddr|port|dbname|user|password|passfile|service)\s*=/i.test(text)) {
    throw new StoreError("usage", "store KEYWORD=...: expected postgres://USER@HOST/DATABASE");
  }
  // Also without its slashes it was meant as an address, and no folder gets a password as its name.
  if (!/^([a-z][a-z0-9+.-]*:\/\/|postgres(ql)?:)/i.test(text)) {
    return { kind: "embedded", folder: text, shown: text };
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  // Where its user is no part of it, or its port no number, it was cut within a password.
  const isCut = (url === null || url.username === "") && text.includes("@");
  if (url === null || isCut || !/^postgres(ql)?:\/\//i.test(text)) {
    const shown = /^[^:]*:(\/\/)?/.exec(text)?.[0] ?? ""; // what follows may hold a password
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

/** The query of a URL may hold a password too: what is not known to be none is left out. */
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

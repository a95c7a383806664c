// A PostgreSQL server.

import { type Dialect, PostgresDialect } from "kysely";
import pg from "pg";

/** So many at once: queries of one process are few. */
const CONNECTIONS_MAX = 4;
const CONNECT_MS = 10_000;
/** A server that is silent for so long is gone. */
const QUERY_MS = 30_000;

export function openServer(url: string): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
    application_name: "touchstone",
    types: { getTypeParser: parserOf },
  });
  // A connection may be lost between queries: the next query has another one, or says what is wrong.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return new PostgresDialect({ pool });
}

// No count comes near 2^53.
const parserOf: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format);

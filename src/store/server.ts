// Connects to a PostgreSQL server.

import { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Dialect, PostgresDialect } from "kysely";
import pg from "pg";

/** The largest number of connections of this process, which sends few queries at once. */
const CONNECTIONS_MAX = 4;
const CONNECT_MS = 10_000;
/** The time limit of a query, in milliseconds. */
const QUERY_MS = 30_000;
/** The longest time to close the connections properly. */
const END_MS = 2000;

export function openServer(url: string): Dialect {
  // A connection whose password was refused stays open, and keeps this process alive, so it is
  // destroyed at the end.
  const sockets = new Set<Socket>();
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    keepAlive: true,
    application_name: "touchstone",
    types: { getTypeParser: parserOf },
    stream: () => {
      const socket = new Socket().on("close", () => sockets.delete(socket));
      sockets.add(socket);
      return socket;
    },
  });
  // A connection may be lost between queries: the next query gets another one, or reports the
  // error.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const end = async (): Promise<void> => {
    await Promise.race([pool.end(), sleep(END_MS, null, { ref: false })]);
    for (const socket of sockets) socket.destroy();
  };
  return new PostgresDialect({ pool: { connect: () => pool.connect(), end } });
}

// Returns the parser of a column type: 64-bit integers become numbers, since no count comes near
// 2^53.
const parserOf: typeof pg.types.getTypeParser = (oid: number, format?: "text" | "binary") =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format);

import { createConnection } from 'mysql2/promise';
import { connectionOptions } from '../../src/store/database/mysql.ts';

/** A statement as the server saw it. */
export interface SlowStatement {
  readonly seconds: number;
  readonly examined: number;
  readonly text: string;
}

/** The server's log of statements that took long or examined many rows. */
export interface SlowLog {
  /** Takes what was logged since the last call: the longest statement of each shape. */
  take(): Promise<readonly SlowStatement[]>;
  close(): Promise<void>;
}

const TEXT_MAX = 160;

/** Begins to log statements that take longer than this or examine more rows, which is either. */
export async function startSlowLog(
  url: string,
  { seconds, rows }: { readonly seconds: number; readonly rows: number },
): Promise<SlowLog> {
  const connection = await createConnection({ ...connectionOptions(url), database: 'mysql' });
  for (const statement of [
    'set global slow_query_log = 0',
    'truncate mysql.slow_log',
    "set global log_output = 'TABLE'",
    // New sessions take these over; the service's are opened later.
    'set global long_query_time = 0.02',
    'set global slow_query_log = 1',
  ]) {
    await connection.query(statement);
  }
  return {
    async take() {
      const [found] = await connection.query(
        `select time_to_sec(query_time) + microsecond(query_time) / 1e6 as seconds,
          rows_examined as examined, sql_text as text from mysql.slow_log
        where time_to_sec(query_time) + microsecond(query_time) / 1e6 > ? or rows_examined > ?`,
        [seconds, rows],
      );
      await connection.query('truncate mysql.slow_log');
      return longestOf(
        (found as { seconds: number; examined: number; text: Buffer | string }[]).map((row) => ({
          seconds: row.seconds,
          examined: row.examined,
          text: shapeOf(String(row.text)),
        })),
      );
    },
    async close() {
      await connection.query('set global slow_query_log = 0');
      await connection.end();
    },
  };
}

/** A statement without its values. */
function shapeOf(text: string): string {
  return text
    .replaceAll(/'[^']*'/g, '?')
    .replaceAll(/\b\d+\b/g, '#')
    .replaceAll(/(?:\?, )+\?/g, '?, …')
    .replaceAll(/\s+/g, ' ')
    .slice(0, TEXT_MAX);
}

function longestOf(statements: readonly SlowStatement[]): readonly SlowStatement[] {
  const longest = new Map<string, SlowStatement>();
  for (const statement of statements) {
    const known = longest.get(statement.text);
    if (known === undefined || known.seconds < statement.seconds) {
      longest.set(statement.text, statement);
    }
  }
  return [...longest.values()].toSorted((a, b) => b.seconds - a.seconds);
}

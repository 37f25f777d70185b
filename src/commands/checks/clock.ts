import { createConnection } from 'mysql2/promise';

import { connectionOptions } from '../../store/database/mysql.ts';

const CONNECT_MS_MAX = 2_000;

/**
 * The clock of the database server, in ms since the epoch. Null when the database is a local file, or
 * when it does not answer, which another check reports.
 */
export async function databaseClockMs(databaseUrl: string): Promise<number | null> {
  if (!databaseUrl.startsWith('mysql:')) return null;
  try {
    const connection = await createConnection({
      ...connectionOptions(databaseUrl),
      connectTimeout: CONNECT_MS_MAX,
    });
    try {
      const [rows] = await connection.query('select unix_timestamp(now(3)) as now');
      const first: unknown = Array.isArray(rows) ? rows[0] : undefined;
      if (typeof first !== 'object' || first === null || !('now' in first)) return null;
      return Number(first.now) * 1_000;
    } finally {
      await connection.end();
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

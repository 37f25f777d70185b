import { createRequire } from 'node:module';
import type * as mysql2 from 'mysql2';
import type * as promises from 'mysql2/promise';

const require = createRequire(import.meta.url);

/**
 * mysql2 and its form with promises, loaded only where the database is MySQL: their hundred modules
 * make every start slower. By `require`, because Node 22 gives an empty module for `import('mysql2')`
 * where `node_modules` is a link and the service has built the Studio at this start.
 */
export function loadMysql(): typeof mysql2 {
  return require('mysql2') as typeof mysql2;
}

export function loadMysqlPromises(): typeof promises {
  return require('mysql2/promise') as typeof promises;
}

import t from 'tap';
import { sourceFiles, valueImportsOf } from '../../lab/source.ts';

/**
 * What every start and every command loads: with SQLite and a folder, nothing of MySQL and S3;
 * without signers, nothing of signatures, whose 50 modules took a tenth of a second of CPU. The
 * thread that writes SQLite loads no query builder: its 280 modules took as long as a migration.
 */

const sources = new Map(sourceFiles('src/**/*.ts').map((source) => [source.path, source]));

/** The packages that are loaded before the module is. */
function packagesOf(path: string): readonly string[] {
  const packages = new Set<string>();
  const seen = new Set([path]);
  for (const one of seen) {
    const source = sources.get(one);
    if (source !== undefined) for (const name of valueImportsOf(source)) seen.add(name);
    else if (!one.startsWith('node:')) packages.add(one);
  }
  return [...packages].toSorted();
}

t.test('a service with SQLite and a folder loads no client of MySQL or S3', (t) => {
  for (const path of ['src/store/open.ts', 'src/start/main.ts']) {
    const packages = packagesOf(path);
    t.ok(packages.includes('kysely'), `${path} opens a store`);
    t.notMatch(packages.join(' '), /mysql2|undici/, path);
  }
  t.end();
});

t.test('a service without signers loads nothing that signs', (t) => {
  t.ok(packagesOf('src/sign/signers.ts').includes('pkijs'), 'signers need it');
  t.notMatch(packagesOf('src/start/main.ts').join(' '), /pkijs|asn1js/);
  t.end();
});

t.test('the thread that writes SQLite loads no package', (t) => {
  t.ok(sources.has('src/store/database/sqlite-thread.ts'));
  t.strictSame(packagesOf('src/store/database/sqlite-thread.ts'), []);
  t.end();
});

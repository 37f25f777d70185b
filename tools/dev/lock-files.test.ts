import t from 'tap';

import { HOME } from '../../src/settings/config.ts';
import { checkLockFiles, lockFilesOf, packagesWithoutDigest } from './lock-files.ts';

t.test('a package without a digest is named; a folder of the repository needs none', (t) => {
  const sha512 = 'sha512-q4Mq/+XO7UNDdMiPpR==';
  const packages = {
    '': { name: 'intaglio' },
    'node_modules/a': { version: '1.0.0', integrity: sha512 },
    'node_modules/b': { version: '1.0.0', optional: true },
    'node_modules/c': { version: '1.0.0', integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' },
    'node_modules/d': { resolved: 'tools/d', link: true },
  };
  const found = packagesWithoutDigest(JSON.stringify({ lockfileVersion: 3, packages }));
  t.strictSame(found, ['node_modules/b', 'node_modules/c']);
  t.end();
});

t.test('every package that can be installed here has a digest', (t) => {
  t.ok(lockFilesOf(HOME).length >= 3, 'the service, Node and the peers');
  t.strictSame(checkLockFiles(HOME), []);
  t.end();
});

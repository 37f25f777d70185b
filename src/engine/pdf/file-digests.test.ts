import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import t from 'tap';
import { FileDigests } from './file-digests.ts';

await t.test('digests of files with one prefix are those of the whole files', async (t) => {
  const prefix = Buffer.alloc(1_000, 'prefix');
  const digests = new FileDigests(prefix);
  for (const rest of ['', 'a', 'another '.repeat(500)]) {
    const file = Buffer.concat([prefix, Buffer.from(rest)]);
    t.equal(digests.sha256(file), hash('sha256', file, 'hex'));
    t.equal(digests.crc32(file), crc32(file));
  }
});

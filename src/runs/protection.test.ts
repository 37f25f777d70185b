import t from 'tap';
import { succeed } from '../errors.ts';
import type { Protection, RenderedRow } from '#engine';
import { RunProtector } from './protection.ts';

const ROW: RenderedRow = {
  failure: null,
  bytes: 4,
  pages: 1,
  sha256: '',
  crc32: 0,
  naming: null,
  missingCharacters: 0,
  passwords: { user: '17052533', owner: '' },
  signature: null,
};

t.test('a random owner password has 128 bits, and each document has a different one', async (t) => {
  const seen: Protection[] = [];
  const protect = (pdf: Uint8Array, protection: Protection) => {
    seen.push(protection);
    return Promise.resolve(succeed(new Uint8Array(pdf)));
  };
  const protector = new RunProtector({ protect }, 2, () => false);
  const rows = [ROW, ROW, ROW];
  const protection = { user: null, owner: 'random', permissions: {} } as const;
  await protector.protect(protection, { rows, files: Buffer.from('%PDF%PDF%PDF') });
  const owners = seen.map(({ ownerPassword }) => ownerPassword);
  t.equal(new Set(owners).size, rows.length);
  // The hash of a password takes longer for a longer password, so it has no more characters than
  // needed.
  for (const owner of owners) t.match(owner, /^[\w-]{22}$/);
});

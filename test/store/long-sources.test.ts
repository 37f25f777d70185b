import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Found, TemplateVersion } from '../../src/store/store.ts';
import { overDialects } from './dialects.ts';

/** A template with pictures; the main thread reads sources up to 256 KB. */
const LONG = randomBytes(1_000_000);
const SHORT = randomBytes(1_000);

function sourceOf(found: Found<TemplateVersion> | TemplateVersion | null): Uint8Array {
  const version = found !== null && 'found' in found ? (found.found ? found.value : null) : found;
  if (version === null) throw new Error('the template is missing');
  return version.source;
}

/** Only the thread of SQLite puts a source into shared memory. */
const isShared = ({ buffer }: Uint8Array): boolean => buffer instanceof SharedArrayBuffer;

await overDialects('a long source', async (t, newPlace) => {
  const place = await newPlace();
  const { templates, teams } = await place.open(t);
  await teams.add({ teamId: 'bank', name: 'Bank' });

  await t.test('is read off the main thread, as draft and as version', async (t) => {
    const shared = new Uint8Array(new SharedArrayBuffer(LONG.byteLength));
    shared.set(LONG);
    for (const [id, bytes, source] of [
      ['long', LONG, shared],
      ['short', SHORT, SHORT],
    ] as const) {
      await templates.saveDraft('bank', id, id, source);
      const draft = await templates.draft('bank', id);
      const { hash } = draft.found ? draft.value : { hash: '' };
      t.strictSame(await templates.publish('bank', id, hash, 'user:a'), {
        version: 1,
        contributors: [],
        note: '',
      });
      const published = sourceOf(await templates.published('bank', id, null));
      const version = sourceOf(await templates.version('bank', id, 1));
      const isLong = id === 'long' && place.name === 'sqlite';
      for (const read of [sourceOf(draft), published, version]) {
        t.equal(Buffer.compare(read, bytes), 0, `${id}: the bytes that were saved`);
        t.equal(isShared(read), isLong, id);
      }
    }
    t.notOk((await templates.draft('bank', 'long')).found, 'the draft is published');
  });

  await t.test('is published again by a roll-back, with its name and publisher', async (t) => {
    await templates.saveDraft('bank', 'long', 'Another name', SHORT);
    const draft = await templates.draft('bank', 'long');
    await templates.publish('bank', 'long', draft.found ? draft.value.hash : '');
    t.strictSame(await templates.rollBack('bank', 'long', 1, 'user:b'), { version: 3 });
    t.equal(await templates.rollBack('bank', 'long', 9, 'user:b'), null);
    const third = await templates.version('bank', 'long', 3);
    t.equal(Buffer.compare(sourceOf(third), LONG), 0);
    const [newest] = await templates.history('bank', 'long');
    t.match(newest, { version: 3, bytes: LONG.byteLength, publishedBy: 'user:b' });
    t.match(await templates.find('bank', 'long'), { value: { name: 'long', latestVersion: 3 } });
  });

  if (place.name === 'mysql') return;
  await t.test('that is damaged is not believed', async (t) => {
    const other = new DatabaseSync(join(place.folder, 'intaglio.db'), { timeout: 60_000 });
    const damage = `update template_versions set source = zeroblob(1000000) where version = 3`;
    other.exec(damage);
    other.close();
    await t.rejects(templates.version('bank', 'long', 3), {
      name: 'RowDamaged',
      table: 'template_versions',
    });
    t.equal(Buffer.compare(sourceOf(await templates.version('bank', 'long', 1)), LONG), 0);
  });
});

import { writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { openStore, type StoreSettings } from '../../src/store/open.ts';
import { digest } from '../../src/store/ids.ts';
import { addDocument } from '../store/samples.ts';

/**
 * Adds documents as fast as it can, eight at a time, until it is killed. For each it prints the
 * acknowledgement that a caller would get: `<documentId> <sha256>`. Arguments: database URL, folder
 * of files, and a key in hexadecimal when files are encrypted.
 */
const [databaseUrl = '', folder = '', key = ''] = process.argv.slice(2);
const keys = [Buffer.from(key, 'hex')];
const encrypting: Partial<StoreSettings> = key === '' ? {} : { encryption: { keys: () => keys } };
const store = await openStore({ databaseUrl, filesUrl: `file:${folder}`, ...encrypting });
await store.migrate();

async function addForEver(): Promise<never> {
  for (;;) {
    const pdf = Buffer.concat([
      Buffer.from('%PDF-1.7\n'),
      randomBytes(2_000 + Math.random() * 30_000),
    ]);
    const { documentId } = await addDocument(store, pdf);
    writeSync(1, `${documentId} ${digest(pdf).toString('hex')}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, addForEver));

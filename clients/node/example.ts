import { Intaglio, InvalidDataError } from 'intaglio-client';

/**
 * Makes a letter in both modes, fetches the stored one and verifies it:
 * URL=http://127.0.0.1:8080 KEY=ik_… node example.ts
 */
const { URL: url = '', KEY: apiKey = '' } = process.env;
const intaglio = new Intaglio({ url, apiKey });

const { fields } = await intaglio.fieldContract('letter');
console.log(`letter takes ${fields.map(({ name }) => name).join(', ')}`);

const data = { customer: 'Somchai Jaidee', total: '1250.50', issued: '2026-11-22' };
const made = await intaglio.generateToFile({ templateId: 'letter', data }, 'letter.pdf');
console.log(`letter.pdf has ${made.bytes} bytes`);

const stored = await intaglio.store(
  { templateId: 'letter', version: 1, data, options: { metadata: { title: 'Letter 42' } } },
  { idempotencyKey: 'letter-2026-0044', signal: AbortSignal.timeout(60_000) },
);
const file = await intaglio.downloadToFile(stored.documentId, 'stored.pdf');
const { issued } = await intaglio.verify(file.sha256);
console.log(`stored.pdf ${issued ? 'was' : 'was not'} issued by the service`);

try {
  await intaglio.generate({ templateId: 'letter', data: { total: '1,250.50' } });
} catch (error) {
  if (!(error instanceof InvalidDataError)) throw error;
  for (const { field, reason } of error.fields) console.log(`${field}: ${reason}`);
}

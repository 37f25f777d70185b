import { join } from 'node:path';

import { Intaglio } from '../../../clients/node/src/index.ts';

/** Stores documents and fetches their files: flood-node.ts URL KEY FOLDER COUNT. */
const [url = '', apiKey = '', folder = '', count = ''] = process.argv.slice(2);
const client = new Intaglio({ url, apiKey, concurrencyMax: 32, triesMax: 30 });

async function make(number: number): Promise<string> {
  const made = await client.store({ templateId: 'note', data: { text: `Letter ${number}` } });
  const { sha256 } = await client.downloadToFile(made.documentId, join(folder, `${number}.pdf`));
  return `${made.documentId} ${sha256} ${made.sha256}`;
}

for (const line of await Promise.all(Array.from({ length: Number(count) }, (_, i) => make(i)))) {
  console.log(line);
}

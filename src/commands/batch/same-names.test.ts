import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { environment, intaglio } from '../../../lab/service/command-line.ts';
import { json, pdf, startFake } from '../../../test/fixtures/batch-scene.ts';

t.test('records with one --name are told of once, and its column is no unknown one', async (t) => {
  const { url } = await startFake(t, (call, response) => {
    if (!call.path.endsWith('/fields')) return pdf(response);
    json(response, 200, {
      templateId: 'note',
      version: 1,
      status: 'published',
      fields: [{ name: 'total', type: 'number', required: true }],
    });
  });
  const rows = ['R-1,1', 'R-2,2', 'R-1,3', 'R-2,4', 'R-3,5'];
  const folder = t.testdir({ 'in.csv': `ref,total\n${rows.join('\n')}\n` });
  const out = join(folder, 'out');
  const words = ['batch', join(folder, 'in.csv'), '--template', 'note', '--out', out];
  const env = environment(folder, { INTAGLIO_API_KEY: 'ik_test' });
  const { code, err } = await intaglio(env, ...words, '--url', url, '--name', '{{ref}}');
  t.equal(code, 0);
  t.strictSame(err.trimEnd().split('\n'), [
    'intaglio: --name names records alike: record 3 is R-1-00000003.pdf, with its number, and so is' +
      ' each further one (manifest.ndjson has them)',
  ]);
  t.match(readdirSync(out).toSorted(), [
    'R-1-00000003.pdf',
    'R-1.pdf',
    'R-2-00000004.pdf',
    'R-2.pdf',
    'R-3.pdf',
    'manifest.ndjson',
  ]);
});

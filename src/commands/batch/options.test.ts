import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { environment, type Finished, intaglio } from '../../../lab/service/command-line.ts';
import { json, pdf, startFake } from '../../../test/fixtures/batch-scene.ts';

t.test('a batch refuses passwords by row before it sends anything', async (t) => {
  const { url, calls } = await startFake(t, (call, response) => {
    if (call.path.endsWith('/fields'))
      json(response, 403, { code: 'insufficient_scope', error: '' });
    else pdf(response);
  });
  const folder = t.testdir({ 'in.ndjson': '{"customer":"Mali"}\n' });
  const out = join(folder, 'out');
  const words = ['batch', join(folder, 'in.ndjson'), '--template', 'note', '--out', out];
  const env = environment(folder, { INTAGLIO_API_KEY: 'ik_test' });
  const options = join(folder, 'options.json');
  const batch = async (protection: unknown): Promise<Finished> => {
    writeFileSync(options, JSON.stringify({ protection }));
    return intaglio(env, ...words, '--url', url, '--options', options);
  };
  for (const [place, protection] of [
    ['userPassword', { userPassword: '{{customer}}' }],
    ['userPassword', { userPassword: { text: '{{customer}}', format: { case: 'upper' } } }],
    ['ownerPassword', { userPassword: 'open sesame', ownerPassword: '{{customer}}' }],
    ['ownerPassword', { userPassword: 'open sesame', ownerPassword: { random: true } }],
  ] as const) {
    const { code, err } = await batch(protection);
    t.equal(code, 1);
    t.match(err, new RegExp(`options\\.protection\\.${place} .*only runs make.*runs create`));
  }
  t.strictSame(calls, []);
  t.notOk(existsSync(out));
  t.match(await batch({ userPassword: 'open sesame' }), { code: 0 });
  t.ok(calls.length > 0);
});

import t, { type Test } from 'tap';
import { compileFile } from '../template/fixtures.ts';
import { fieldsOf, listSchema } from '../template/fields/field-list.ts';
import { LEFT_OUT, Secrets } from './secrets.ts';

const CARD = {
  name: 'card',
  type: 'text',
  secret: true,
  format: { mask: 'XXXX-XXXX-XXXX-xxxx' },
};
const BORN = { name: 'born', type: 'date', required: true, secret: true };
const FILE = { templateId: 'statement', fields: [CARD, BORN] };

/** The errors of a template with these parts, as `path: message`. */
async function errorsOf(more: object): Promise<readonly string[]> {
  const file = { ...FILE, document: { content: ['A statement'] }, ...more };
  const { findings } = await compileFile(file);
  return findings
    .filter(({ severity }) => severity === 'error')
    .map(({ path, message }) => `${path}: ${message}`);
}

const inContent = (content: unknown): object => ({ document: { content } });

t.test('a text prints a secret field through the mask of the field', async (t) => {
  t.strictSame(await errorsOf(inContent(['{{card}}', { text: ['Card ', '{{card}}'] }])), []);
  t.strictSame(await errorsOf({ document: { header: '{{card}}', content: ['x'] } }), []);
  t.strictSame(await errorsOf(inContent([{ text: 'There is a card', if: 'card' }])), []);
});

t.test('nothing else may use it, and the finding names the place', async (t) => {
  const mayNot: Record<string, object> = {
    'document.content[0].qr': inContent([{ qr: '{{card}}' }]),
    'document.content[0]': inContent([{ barcode: 'code128', data: '{{card}}' }]),
    'document.content[0].link': inContent([{ text: 'x', link: 'https://a.example/{{card}}' }]),
    'document.content[0].text': inContent([{ text: '{{card}}', format: { mask: 'xxxx' } }]),
    'document.info.title': { document: { info: { title: '{{card}}' }, content: ['x'] } },
    'document.watermark.text': { document: { watermark: { text: '{{card}}' }, content: ['x'] } },
    reference: { reference: '{{card}}' },
    fileName: { fileName: '{{card}}' },
    'files[0].data': {
      archive: 'PDF/A-3u',
      files: [{ name: 'a.xml', mediaType: 'text/xml', data: '<a>{{card}}</a>' }],
    },
  };
  for (const [path, more] of Object.entries(mayNot)) {
    await named(t, path, more);
  }
  await named(t, 'document.content[0]', inContent(['Born on {{born}}']));
});

async function named(t: Test, path: string, more: object): Promise<void> {
  const [first = ''] = await errorsOf(more);
  t.match(first, /^[^:]*: .*secret/, path);
  t.ok(first.startsWith(path), `${path} is named: ${first}`);
}

/** The number of errors of a text that prints a secret field with this mask. */
async function withMask(mask: string): Promise<number> {
  const fields = [{ ...CARD, format: { mask } }];
  return (await errorsOf({ fields, ...inContent(['{{card}}']) })).length;
}

/** The errors of a template with this secret field. */
function withField(field: object): Promise<readonly string[]> {
  return errorsOf({ fields: [{ name: 'pin', secret: true, ...field }] });
}

t.test('a mask that shows almost everything is none', async (t) => {
  t.equal(await withMask('xxxx-xxxx'), 1);
  t.equal(await withMask('Xxxx-xxxx'), 1);
  t.equal(await withMask('XXXX-xxxx'), 0);
  t.equal(await withMask('XXX'), 0, 'all of a short one');
});

t.test('only texts and dates are secret, and have no choices', async (t) => {
  t.match(await withField({ type: 'number' }), [/^fields\[0\]\.secret: A number field/]);
  t.match(await withField({ type: 'text', choices: ['a'] }), [/^fields\[0\]\.choices/]);
  t.strictSame(await withField({ type: 'text' }), []);
});

t.test('field discovery and JSON Schema tell it, without values of samples', async (t) => {
  const samples = [{ name: 'one', data: { card: '4000000000000002', born: '1990-05-17' } }];
  const file = { ...FILE, samples };
  const fields: unknown = JSON.parse(new TextDecoder().decode(fieldsOf(file)));
  t.match(fields, [
    { name: 'card', format: { presentation: { secret: true } } },
    { name: 'born', format: { presentation: { secret: true } } },
  ]);
  const source = new TextEncoder().encode(JSON.stringify(file));
  const schema = new TextDecoder().decode(listSchema(source));
  t.match(JSON.parse(schema), {
    properties: { card: { writeOnly: true }, born: { writeOnly: true } },
  });
  t.notMatch(schema, /4000000000000002|1990-05-17/);
});

t.test('what lists show in its place is no value', async (t) => {
  const { template } = await compileFile({ ...FILE, document: { content: ['x'] } });
  const data = JSON.stringify({ card: LEFT_OUT, born: LEFT_OUT });
  const checked = await template?.contract.check(new TextEncoder().encode(data));
  const reason = 'secret value expected: lists leave it out, so send it again';
  t.match(checked, {
    ok: false,
    fields: [
      { field: 'card', reason },
      { field: 'born', reason },
    ],
  });
});

t.test('lists show no secret, and no member that is no field', async (t) => {
  const secrets = new Secrets([
    { name: 'pin', isSecret: true },
    { name: 'name', isSecret: false },
  ]);
  const row = { pin: '1234', name: 'A', PIN: '1234' };
  t.strictSame(secrets.shown(row), { pin: LEFT_OUT, name: 'A' });
  t.strictSame(secrets.shown({ pin: '' }), { pin: '' }, 'an absent value stays absent');
  t.equal(Secrets.none.shown(row), row);
});

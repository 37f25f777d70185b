import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import t from 'tap';
import { templateSchema } from './schema.ts';

const folder = new URL('../../../templates/', import.meta.url);
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, folder), 'utf8'));

const schema = templateSchema();
const validate = new Ajv({ allowUnionTypes: true, strictRequired: false }).compile(
  typeof schema === 'boolean' ? {} : schema,
);

t.test('the file for editors is what the code makes (npm run generate)', (t) => {
  t.strictSame(read('template.schema.json'), JSON.parse(JSON.stringify(schema)));
  t.end();
});

for (const name of readdirSync(folder).filter((file) => /^[a-z-]+\.json$/.test(file))) {
  t.test(`${name} passes the schema`, (t) => {
    t.ok(validate(read(name)), JSON.stringify(validate.errors?.slice(0, 3)));
    t.end();
  });
}

t.test('the schema refuses every shape that the compiler refuses', (t) => {
  const wrong = [
    { text: 'x', fontsize: 3 },
    { text: 'x', margin: [1, 2, 3] },
    { table: { body: 'x' } },
    { canvas: [{ type: 'rectangle' }] },
    { qr: 'x', eccLevel: 'X' },
  ];
  for (const content of wrong) {
    t.notOk(validate({ templateId: 'x', document: { content } }), JSON.stringify(content));
  }
  t.end();
});

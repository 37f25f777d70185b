import { Ajv } from 'ajv';
import t from 'tap';
import { VALUES } from './values.ts';

t.test('the schema of each value is one', (t) => {
  const ajv = new Ajv();
  for (const [name, { schema }] of Object.entries(VALUES)) {
    t.ok(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}`);
  }
  t.end();
});

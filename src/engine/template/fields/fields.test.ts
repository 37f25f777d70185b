import t from 'tap';
import { compileHead } from './fields.ts';
import type { TemplateHead } from './fields.ts';
import { Findings } from '../vocabulary/findings.ts';
import { parseSource } from '../source.ts';

const encode = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

function fieldsOf(source: Uint8Array): TemplateHead | null {
  const findings = new Findings();
  const template = parseSource(source, findings);
  return template === null ? null : compileHead(template, findings);
}

t.test('the contract part is read without the document', (t) => {
  const fields = [
    { name: 'a', type: 'number', required: true, format: { decimals: 2 }, validation: { min: 0 } },
    { name: 'b', type: 'text' },
  ];
  t.match(fieldsOf(encode({ templateId: 'x', language: 'th', fields, document: 7 })), {
    templateId: 'x',
    name: 'x',
    language: 'th',
    fields: [fields[0], { name: 'b', type: 'text', required: false }],
  });
  t.end();
});

t.test('invalid fields are left out; a file that is not a template gives null', (t) => {
  t.same(fieldsOf(encode({ fields: [1, { name: 'a' }, { type: 'text' }] }))?.fields, []);
  t.same(fieldsOf(encode({}))?.fields, []);
  t.equal(fieldsOf(encode('{')), null);
  t.equal(fieldsOf(encode('3')), null);
  t.equal(fieldsOf(Uint8Array.of(0xff)), null);
  t.end();
});

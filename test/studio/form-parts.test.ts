import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Field } from '../../studio/src/api/field-types.ts';
import { breakingChanges } from '../../src/runtime/contract/breaking-changes.ts';
import { readTemplate } from '../../studio/src/editor/template-text.ts';
import { referenceIn } from '../../studio/src/form/reference.ts';
import { patternWords, takesDigitsOnly } from '../../studio/src/form/pattern-words.ts';
import { formEn } from '../../studio/src/i18n/form-en.ts';
import { createEngine } from '#engine';
import { HOME } from '../../lab/home.ts';

/** The parts of the Studio's forms that need no browser. */

const TEXTS: Readonly<Record<string, string>> = formEn;

function say(key: string, parameters: Readonly<Record<string, unknown>> = {}): string {
  return (TEXTS[key] ?? key).replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    String(parameters[name]),
  );
}

function discovered(text: string): unknown {
  return JSON.parse(
    new TextDecoder().decode(createEngine().listFields(new TextEncoder().encode(text))),
  );
}

t.test('a pattern is told in words, and never shown', async (t) => {
  const cases = {
    '^[0-9]{13}$': '13 digits',
    '^\\d{3}-\\d{4,6}$': '3 digits, then “-”, then 4 to 6 digits',
    '^[A-Z0-9-]+$': 'capital letters, digits and “-”',
    '^[A-Z]{2}[0-9]{4,}$': '2 capital letters, then at least 4 digits',
    '^LN[a-z]$': '“LN”, then one of small letters',
    '^[ก-๙ ]+$': 'Thai letters and blanks',
    '^[^0-9]+$': '',
    '^(a|b)$': '',
    '^.*$': '',
    '[0-9]{13}': '',
    '^[0-9]*$': '',
    '^$': '',
  };
  for (const [pattern, words] of Object.entries(cases)) {
    t.equal(patternWords(pattern, say), words, pattern);
  }
});

t.test('the editor reads the fields of a text as field discovery describes them', async (t) => {
  const folder = join(HOME, 'templates');
  const samples = readdirSync(folder).filter((name) => /^[a-z-]+\.json$/.test(name));
  t.ok(samples.includes('receipt.json'));
  for (const name of samples) {
    const text = readFileSync(join(folder, name), 'utf8');
    t.strictSame(readTemplate(text)?.fields, discovered(text), name);
  }
  const odd = JSON.stringify({
    language: 'th',
    fields: [
      {
        name: 'a',
        type: 'text',
        label: 'ก',
        choices: ['x', { value: 2, label: { en: 'Two' } }, null],
      },
      { name: 'b', type: 'table', columns: ['ข', 7, { en: 'c' }], help: { th: 1 } },
      { name: 'c', type: 'number', example: 1.5, validation: { min: 1 } },
    ],
  });
  t.strictSame(readTemplate(odd)?.fields, discovered(odd));
});

t.test('every field of the shipped templates has a label in Thai and in English', async (t) => {
  for (const name of ['contract', 'loan-offer', 'receipt', 'receipt-en', 'scans', 'statement']) {
    const fields = readTemplate(readFileSync(join(HOME, `templates/${name}.json`), 'utf8'))?.fields;
    t.ok((fields ?? []).length > 0, name);
    for (const field of fields ?? []) {
      const label = field.format?.presentation?.label;
      t.ok(label?.['th'] !== undefined && label['en'] !== undefined, `${name} ${field.name}`);
    }
  }
});

function fieldWith(choices?: readonly string[]): Field {
  const validation = choices === undefined ? {} : { validation: { choices } };
  return { name: 'a', type: 'text', required: false, ...validation };
}

t.test('choices that are gone, or new where every value was taken, break callers', async (t) => {
  const gone = [{ kind: 'choices', field: 'a', gone: ['y'], left: ['x'] }];
  const chosen = [{ kind: 'choices', field: 'a', gone: [], left: ['x'] }];
  t.strictSame(breakingChanges([fieldWith(['x', 'y'])], [fieldWith(['x', 'y'])]), []);
  t.strictSame(breakingChanges([fieldWith(['x'])], [fieldWith(['y', 'x'])]), []);
  t.strictSame(breakingChanges([fieldWith(['x'])], [fieldWith()]), []);
  t.strictSame(breakingChanges([fieldWith(['x', 'y'])], [fieldWith(['x'])]), gone);
  t.strictSame(breakingChanges([fieldWith()], [fieldWith(['x'])]), chosen);
});

t.test('a mask is told to take digits when its pattern takes nothing else', async (t) => {
  for (const pattern of [String.raw`^\d{13}$`, '^[0-9]{3}[0-9]*$', String.raw`^0\d+$`]) {
    t.ok(takesDigitsOnly(pattern), pattern);
  }
  for (const pattern of ['', '^[A-Z0-9]{13}$', String.raw`\d`, '^$', String.raw`^\d{2}-\d$`]) {
    t.notOk(takesDigitsOnly(pattern), pattern);
  }
});

t.test('the reference that a form holds is known where it prints as it is typed', (t) => {
  const text: Field = { name: 'no', type: 'text', required: true };
  const branch: Field = { name: 'branch', type: 'text', required: false };
  const masked: Field = { ...text, name: 'card', format: { mask: 'xx-xx' } };
  const amount: Field = { name: 'sum', type: 'number', required: true };
  const fields = [text, branch, masked, amount];
  const data = { no: ' RC-1 ', branch: 'B\u00A07', card: '1234', sum: '10' };
  const of = (source: string, values: object = data): unknown =>
    referenceIn(source, fields, { ...values });
  t.strictSame(of('{{no}}'), { text: 'RC-1', field: 'no' }, 'as the service compares it');
  t.strictSame(of('{{ branch }}/{{no}}'), { text: 'B 7/ RC-1', field: 'no' });
  t.equal(of('{{branch}}/{{no}}', { no: 'RC-1' }), null, 'a part of it is missing');
  t.equal(of('{{card}}'), null, 'a mask prints it otherwise');
  t.equal(of('{{no}}-{{sum}}'), null, 'and so does an amount');
  t.equal(of('{{= no}}'), null);
  t.equal(of(''), null);
  t.end();
});

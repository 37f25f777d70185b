import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { encodeText } from '../../runtime/encoding/encode.ts';
import { Failures } from './failures.ts';
import { readRecords, surveyInput } from './input.ts';

const FILE = 'ref;ชื่อ;total\n1;สมชาย;1.250,50\n2;"a;b";-3,00\n';

for (const [encoding, mark] of [
  ['windows-874', ''],
  ['utf-8', ''],
  ['utf-8', '\uFEFF'],
  ['utf-16le', '\uFEFF'],
  ['utf-16be', '\uFEFF'],
] as const) {
  t.test(
    `failed rows of a spreadsheet in ${encoding}${mark && ', marked'} are one, too`,
    async (t) => {
      const folder = t.testdir();
      const path = join(folder, 'in.csv');
      writeFileSync(path, encodeText(mark + FILE, encoding));
      const input = { path, format: 'csv', encoding: null } as const;
      const failures = new Failures(folder, 'csv', await surveyInput(input), () => undefined);
      const error = { code: 'invalid_data', error: 'no', fields: [] };
      for await (const record of readRecords(input)) failures.add(record, error);
      t.strictSame(readFileSync(failures.path), readFileSync(path));
    },
  );
}

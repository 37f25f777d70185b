import fc from 'fast-check';
import t from 'tap';

import { replaceStrings } from './clean-source.ts';

const FROM = 'data:application/pdf;base64,JVBERi0=';
const TO = 'data:application/pdf;base64,Y2xlYW4=';
const replacements = new Map([[FROM, TO]]);

t.test('a string is replaced however it is written, and wherever it stands', (t) => {
  const spellings = [
    FROM,
    FROM.replace('/', String.raw`\/`),
    FROM.replace('d', String.raw`\u0064`),
    FROM.replace('=', String.raw`\u003D`),
  ];
  const text = `{"a": ["${spellings.join('", "')}"], "b\\"c": "${FROM}", "\\\\": "${FROM}x"}`;
  t.strictSame(JSON.parse(replaceStrings(text, replacements)), {
    a: spellings.map(() => TO),
    'b"c': TO,
    '\\': `${FROM}x`,
  });
  t.end();
});

t.test('everything else stays as it is, byte for byte', (t) => {
  fc.assert(
    fc.property(fc.json(), fc.boolean(), (text, isIndented) => {
      const file = isIndented ? JSON.stringify(JSON.parse(text), null, 2) : text;
      return replaceStrings(file, replacements) === file;
    }),
    { numRuns: 200 },
  );
  t.end();
});

t.test('long texts take linear time', (t) => {
  const text = JSON.stringify(['\\'.repeat(1_000_000), '"'.repeat(1_000_000), FROM]);
  const before = process.threadCpuUsage();
  t.match(replaceStrings(text, replacements), TO);
  const { user, system } = process.threadCpuUsage(before);
  t.ok((user + system) / 1000 < 20_000, 'one second per MB, and not the square of that');
  t.end();
});

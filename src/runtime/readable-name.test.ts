import t from 'tap';
import { nameFault } from './readable-name.ts';

t.test('a name that people can read is accepted', async (t) => {
  const names = ['Receipt', 'ใบเสร็จรับเงิน', 'น้ำ', 'क्\u200Dष', '❤️ Letter', 'x', 'ก'.repeat(255)];
  for (const name of names) t.equal(nameFault(name), null, name.slice(0, 20));
});

t.test('a name says which of its characters nobody sees, and where', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['good\u0000evil', 'must have no control characters: U+0000 is character 5'],
    ['invoice \u202Efdp', 'must have no invisible characters: U+202E is character 9'],
    ['😀\u200Bx', 'must have no invisible characters: U+200B is character 2'],
    ['a\u2028b', 'must have no invisible characters: U+2028 is character 2'],
    ['\uFEFFa', 'must have no invisible characters: U+FEFF is character 1'],
    ['x'.repeat(256), 'must have at most 255 characters'],
    ['\uD800', 'must have no half of a surrogate pair'],
    ...['', ' ', '\u00A0\u3000', '\u2800', '\u200C', '\u3164'].map(
      (name) => [name, 'must have a visible character'] as const,
    ),
  ];
  for (const [name, fault] of cases) t.equal(nameFault(name), fault);
});

import fc from 'fast-check';
import t from 'tap';
import { ID_RULE, isId, isNewId, newIdFault } from './id-rule.ts';

await t.test('isId accepts only texts that every collation compares exactly', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      if (!isId(text)) return true;
      return text.length <= 128 && text.trim() === text && text.isWellFormed() && text !== '';
    }),
    { numRuns: 50 },
  );
});

await t.test('isId refuses characters that nobody sees', async (t) => {
  const invisible = [
    '\u200B',
    '\u202E',
    '\u2028',
    '\u00AD',
    '\uFEFF',
    '\u3164',
    '\uFE0F',
    '\u{E0041}',
  ];
  for (const character of invisible) {
    t.notOk(isId(`pay${character}ee`), `U+${character.codePointAt(0)?.toString(16)}`);
  }
  t.ok(isId('ใบเสร็จรับเงิน'));
  t.ok(isId('क्\u200Dष'), 'ZWJ is part of the spelling');
});

await t.test('the fault of a new id says what is wrong, and where', async (t) => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['invoice', null],
    ['ใบแจ้งหนี้ 2', null],
    ['x'.repeat(128), null],
    ['x'.repeat(130), 'must have at most 128 characters'],
    ['', 'must not be empty'],
    [' invoice', 'must not begin with a blank'],
    ['invoice ', 'must not end with a blank'],
    ['\u00A0invoice', 'must not begin with a blank'],
    ['in  voice', 'must have no two blanks in a row'],
    ['in\tvoice', 'must have no control characters: U+0009 is character 3'],
    ['invoice\n', 'must have no control characters: U+000A is character 8'],
    ['😀\u200Bx', 'must have no invisible characters: U+200B is character 2'],
    ['in\u00A0voice', 'must have no blanks but the plain one: U+00A0 is character 3'],
    ['in\u2800voice', 'must have no invisible characters: U+2800 is character 3'],
    ['\uD800', 'must have no half of a surrogate pair'],
  ];
  for (const [id, fault] of cases) {
    t.equal(newIdFault(id), fault, JSON.stringify(id));
    t.equal(isNewId(id), fault === null, JSON.stringify(id));
  }
  t.match(ID_RULE, '1 to 128 characters');
  t.ok(isId('in  voice') && isId('in\u00A0voice'), 'ids of earlier versions stay in use');
  t.notOk(isId('invoice '));
});

import t from 'tap';
import type { FieldDescriptor, FieldValue } from '../types.ts';
import { compilePasswords, passwordFault, type PasswordFormat } from './passwords.ts';

const FIELDS: readonly FieldDescriptor[] = [
  { name: 'id', type: 'text', required: true },
  { name: 'pin', type: 'text', required: false },
  { name: 'born', type: 'date', required: false },
  { name: 'total', type: 'number', required: false },
];

/** The password of a row with these values, or its defects. */
function made(
  text: string,
  row: Readonly<Record<string, string>>,
  format: PasswordFormat = {},
): unknown {
  const values = FIELDS.map(({ name, type }): FieldValue | null => {
    const raw = row[name];
    if (raw === undefined) return null;
    // A field of the template may have a format of its own, which passwords ignore.
    return type === 'date' ? { type, raw, display: '-' } : { type: 'text', raw, display: '-' };
  });
  const user = { text, format };
  const result = compilePasswords({ user, owner: null }, FIELDS, 'th')(values);
  return 'user' in result ? result.user : result;
}

t.test('values are written as they were sent, or in the format of the password', async (t) => {
  const row = { pin: '4000-0000-0000-1234', born: '1990-05-17' };
  t.equal(made('{{born}}', row), '1990-05-17');
  t.equal(made('{{ born }}', row, { pattern: 'ddMMyyyy', calendar: 'buddhist' }), '17052533');
  t.equal(made('{{born}}', row, { pattern: 'ddMMyy', digits: 'thai' }), '๑๗๐๕๙๐');
  t.equal(made('{{pin}}', row, { mask: 'XXXXXXXXXXXXxxxx' }), '1234');
  t.equal(made('KB-{{pin}}!', row, { mask: 'xxxxXXXXXXXXXXXX' }), 'KB-4000!');
  t.equal(made('{{pin}}', { pin: 'Somchai' }, { case: 'upper' }), 'SOMCHAI');
});

t.test('passwords are prepared as readers prepare what is typed', async (t) => {
  t.equal(made('{{pin}}', { pin: 'รหัสผ่าน' }), 'รหัสผ่าน'.normalize('NFKC'));
  t.equal(made('{{pin}}', { pin: '🙂🙂' }), '🙂🙂');
  t.equal(made('{{pin}}', { pin: 'Ⅷ' }), 'VIII');
  t.equal(made('{{pin}}', { pin: 'a'.repeat(127) }), 'a'.repeat(127));
});

t.test('a row without a usable password says so at the first field', async (t) => {
  const empty = [{ field: 'born', reason: 'password expected: the row makes it empty' }];
  t.strictSame(made('{{born}}', {}), empty);
  t.strictSame(made('KB{{born}}', {}), empty, 'the text beside the field is no password');
  t.match(made('{{pin}}', { pin: 'ก'.repeat(43) }), [{ field: 'pin', reason: /127 bytes/ }]);
  t.match(made('{{pin}}', { pin: '\u{e000}' }), [{ reason: /readers of PDF do not take/ }]);
  t.match(made('{{pin}}', { pin: '123' }, { mask: 'XXxx' }), [{ reason: /does not fit/ }]);
});

t.test('a field has one reason although two passwords use it', async (t) => {
  const one = { text: '{{pin}}', format: {} };
  const result = compilePasswords({ user: one, owner: one }, FIELDS, 'en')(FIELDS.map(() => null));
  t.equal(Array.isArray(result) ? result.length : 0, 1);
});

/** Why the password is refused; null: it is not. */
function fault(text: string, format: PasswordFormat = {}): string | null {
  return passwordFault({ text, format }, FIELDS, 'id');
}

t.test('a password that cannot be made is refused when the run is created', async (t) => {
  t.equal(fault('{{pin}}'), null);
  t.equal(fault('{{pin}}{{id}}'), null);
  t.match(fault('secret'), /needs a field of the row/);
  t.match(fault('{{id}}'), /lists show the ids of rows/);
  t.match(fault('{{pin}}{{'), /has "{{" without/);
  t.match(fault('{{no}}'), /no field "no"/);
  t.match(fault('{{total}}'), /number field makes no password/);
  t.match(fault('{{pin}}', { pattern: 'dd' }), /format.pattern has no effect/);
  t.match(fault('{{born}}', { language: 'x-' }), /format.language is not a language tag/);
});

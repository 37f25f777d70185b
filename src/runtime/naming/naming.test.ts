import fc from 'fast-check';
import t from 'tap';
import { fileNameOf, hasUnusable } from './file-name.ts';
import { isTooLong, normalReference, REFERENCE_CODE_POINTS_MAX } from './naming.ts';

t.test('a reference is compared as it is printed', async (t) => {
  t.equal(normalReference('  RC-0005\t'), 'RC-0005');
  t.equal(normalReference('cafe\u0301\u00A0\n 7'), 'caf\u00E9 7');
  t.equal(normalReference('\uD800'), '\uFFFD');
  const longest = '\u{1F9FE}'.repeat(REFERENCE_CODE_POINTS_MAX);
  t.strictSame([longest, `${longest}x`, 'x'.repeat(1e6)].map(isTooLong), [false, true, true]);
});

t.test('a reference is found as it looks, whatever was copied with it', async (t) => {
  const alike: readonly (readonly [string, string])[] = [
    // Windows puts marks of direction around what is copied from its dialogs.
    ['\u202ARC-0005\u202C', 'RC-0005'],
    ['RC\u200B-00\u00AD05\uFEFF', 'RC-0005'],
    ['ล\u0E4D\u0E32ดับ 7', 'ลำดับ 7'],
    // Tone mark and nikhahit in either order: both are drawn like น้ำ.
    ['น\u0E49\u0E4D\u0E32', 'น้ำ'],
    ['น\u0E4D\u0E49\u0E32', 'น้ำ'],
    ['ຄ\u0ECD\u0EB2', 'ຄ\u0EB3'],
    // The data lose these, so a search must, too.
    ['x\u0085y\u007F', 'xy'],
    ['\u200B\u2066\u2069', ''],
  ];
  for (const [text, normal] of alike) {
    t.equal(normalReference(text), normalReference(normal), JSON.stringify(text));
    t.equal(normalReference(normal), normal, 'a normal reference stays as it is');
  }
});

t.test('file names', async (t) => {
  const names: readonly (readonly [string, string])[] = [
    ['receipt-RC-0005.pdf', 'receipt-RC-0005.pdf'],
    ['receipt-RC-0005', 'receipt-RC-0005.pdf'],
    ['ใบเสร็จ  น้ำ 1.PDF', 'ใบเสร็จ น้ำ 1.pdf'],
    ['../../etc/passwd', '_.._etc_passwd.pdf'],
    ['a/b\\c:d*e?f"g<h>i|j', 'a_b_c_d_e_f_g_h_i_j.pdf'],
    ['x\u0000\u0007y\n', 'x__y.pdf'],
    ['invoice\u202Efdp.exe', 'invoicefdp.exe.pdf'],
    ['con', '_con.pdf'],
    ['COM¹', '_COM¹.pdf'],
    ['lpt³.x', '_lpt³.x.pdf'],
    ['NUL.txt.pdf', '_NUL.txt.pdf'],
    ['contract', 'contract.pdf'],
    [' . .pdf', ''],
    ['', ''],
  ];
  for (const [text, name] of names) t.equal(fileNameOf(text), name, JSON.stringify(text));
  t.ok(hasUnusable('a/b'));
  t.notOk(hasUnusable('ใบเสร็จ 1.pdf'));
});

t.test('a long name is cut between two characters and keeps its ending', async (t) => {
  const name = fileNameOf('ที่'.repeat(100));
  t.ok(Buffer.byteLength(name) <= 200);
  t.match(name, /^(?:ที่)+\.pdf$/u);
  t.match(fileNameOf('x'.repeat(1e6)), /^x{196}\.pdf$/);
});

t.test('no text makes a name that a file system refuses', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const name = fileNameOf(text);
      if (name === '') return;
      t.ok(name.isWellFormed() && Buffer.byteLength(name) <= 201, name);
      t.ok(name.endsWith('.pdf') && !/^[. ]|[/\\\p{Cc}]/u.test(name), name);
      t.equal(fileNameOf(name), name, 'a name stays as it is');
    }),
    { numRuns: 100 },
  );
});

import t from 'tap';
import { measure, ourLineEnds, PHRASES, WIDTHS_PT } from './measure.ts';

/** Line breaking on the annotated corpora, measured by `measure.ts` and compared with ICU's. */

/**
 * Upper bounds: words that are split although they fit on a line, and words torn, as a share of
 * ICU's.
 */
const SPLIT_SHARE_MAX = 0.25;
const TORN_SHARE_MAX = 0.25;
const FOUND_SHARE_MIN = 0.97;

const phrases = Object.values(PHRASES).flat();

t.test('there are phrases of every kind of document, and no phrase twice', async (t) => {
  t.ok(phrases.length >= 1_000, String(phrases.length));
  t.equal(new Set(phrases.map(({ text }) => text)).size, phrases.length);
  t.ok(new Set(phrases.map(({ kind }) => kind)).size >= 14);
});

t.test('few words are split, and most breaks that readers allow are found', async (t) => {
  for (const [part, { ours, ICU: icu }] of Object.entries(measure())) {
    if (ours === undefined || icu === undefined) throw new Error('an engine is missing');
    t.ok(ours.split <= icu.split * SPLIT_SHARE_MAX, `${part}: ${ours.split}, ${icu.split}`);
    t.ok(ours.torn <= icu.torn * TORN_SHARE_MAX, `${part}: ${ours.torn}, ${icu.torn}`);
    t.ok(ours.found >= ours.allowed * FOUND_SHARE_MIN, `${part}: ${ours.found}/${ours.allowed}`);
  }
});

/** Thai, English and mixed text with many punctuation marks. */
const MARKED = [
  'He said “yes” (twice), “no” [once] and ‘perhaps’ — 7.5 % p.a.; see § 4.2 (b).',
  'Total: (1,234.50) THB; fees [incl. VAT 7 %]: “none”. “Why?” – “Because!”',
  'ผู้กู้ (Borrower) และ “ผู้ให้กู้” (Lender) ต่าง ๆ ฯลฯ ร้อยละ 7.50 % ต่อปี',
  'สินค้าต่าง ๆ เช่น “ปากกา” (สีแดง) ดินสอ [2B] ฯลฯ ลด 20 % “ทันที” !',
  '(ก) “หลักประกัน” หมายถึง ที่ดิน (โฉนด) ฯลฯ กรุงเทพฯ (สำนักงานใหญ่)',
];
const OPENING_LAST = /[([{“‘«]\s*$/u;
// (Host names are left out: they break before their dots, as in pdfmake.)
const CLOSING_FIRST = /^(?:[ๆฯ)\]}”’»!?;:,%]|\.(?![a-z]))/u;

t.test('no line ends with an opening mark or begins with a closing mark, ๆ, ฯ or %', async (t) => {
  const faults = [...phrases, ...MARKED.map((text) => ({ text }))].flatMap((phrase) =>
    WIDTHS_PT.flatMap((widthPt) =>
      ourLineEnds(phrase, widthPt)
        .filter((at) => {
          const [before, after] = [phrase.text.slice(0, at), phrase.text.slice(at)];
          return OPENING_LAST.test(before) || CLOSING_FIRST.test(after);
        })
        .map((at) => `${widthPt} pt: ${phrase.text.slice(0, at)}|${phrase.text.slice(at)}`),
    ),
  );
  t.strictSame(faults, []);
});

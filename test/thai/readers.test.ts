import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { render, shareTemplate } from '../../lab/render.ts';
import { copyText } from './readers.ts';

/**
 * Words of the sample templates are found by every program that people copy and search with:
 * Poppler (Okular, Evince), MuPDF, and pdf.js (Firefox). The lists were made by hand from the
 * templates; most words have marks, and each list has sara am.
 */
const WORDS = {
  contract:
    'จำกัด ลำดับ จำเป็น สำคัญ ชำระ อำนาจ อิเล็กทรอนิกส์ วัตถุประสงค์ ตั้งแต่ หน้าที่ ปฏิบัติ ' +
    'พิมพ์ ลงชื่อ ผูกพัน หนึ่ง โทรศัพท์ ดอกเบี้ย สุดท้าย บัญชี ถือว่า เปลี่ยนแปลง เบี้ยปรับ บางส่วน',
  'loan-offer':
    'จำกัด คำขอ กำหนด ชำระ ทำการ หนังสือ ศูนย์ ลูกค้า ยินดี เพื่อ เงื่อนไข ดอกเบี้ย บัญชี ฉะนั้น ' +
    'ถือว่า ทั้งหมด หนึ่ง บริการ หน้า เรียน ท่าน วงเงิน บุคคล',
  receipt:
    'จำกัด ประจำ จำนวน อิเล็กทรอนิกส์ ผู้รับ ศูนย์ ลูกค้า พิมพ์ บัญชี อ้างอิง มูลค่า เพิ่ม ทั้งสิ้น ' +
    'เสร็จ เงิน ภาษี บริการ เส้น สลัก กรุงเทพมหานคร หน่วย เป็น ด้วย',
  statement:
    'จำกัด อิเล็กทรอนิกส์ อินเทอร์เน็ต อัตโนมัติ หน้าที่ บัญชี พิมพ์ ชื่อ แอปพลิเคชัน เครื่อง ' +
    'เอทีเอ็ม เดิน เส้น สลัก กรุงเทพมหานคร แจ้ง เข้า เหลือ ด้วย ต้อง ลายมือ เจ้า รายการ',
  'invoices/etax-invoice':
    'กำกับ จำกัด สำนักงาน ประจำ จำนวน ทุ่งมหาเมฆ มูลค่า เพิ่ม ทั้ง สิ้น ภาษี ใหญ่ กรุงเทพมหานคร ' +
    'เสีย เงิน ก่อน ธนาคาร มหาชน สาทร แขวง รายการ',
} as const;

const TEMPLATES = join(import.meta.dirname, '..', '..', 'templates');
const LEVELS = [null, 'PDF/A-2u', 'PDF/A-3a'] as const;

interface TemplateFile {
  readonly samples: readonly { readonly name: string; readonly data: unknown }[];
}

for (const [name, list] of Object.entries(WORDS)) {
  const source = readFileSync(join(TEMPLATES, `${name}.json`), 'utf8');
  // The folder belongs to this repository; the compiler checks the rest.
  const file = JSON.parse(source) as TemplateFile;
  const words = list.split(' ');
  for (const [index, { name: title, data }] of file.samples.entries()) {
    const level = LEVELS[index % LEVELS.length] ?? null;
    t.test(`${name}, ${title}, ${level ?? 'plain'}`, async (t) => {
      t.ok(words.length >= 20);
      const levelled = level === null ? source : JSON.stringify({ ...file, archive: level });
      const { pdf } = await render(shareTemplate(levelled), data);
      const texts = await copyText(pdf, join(t.testdir(), 'sample.pdf'));
      for (const [reader, text] of Object.entries(texts)) {
        const missing = words.filter((word) => !text.includes(word));
        t.strictSame(missing, [], reader);
      }
    });
  }
}

/** Words with ป, ฝ and ฟ, whose marks stand farther left than those of other consonants. */
const TALL_WORDS =
  'ปี ปีก ปิด เปิด ปัญหา ปัจจุบัน ป้าย ป้องกัน ปู่ ปุ๋ย ปืน เป็น ฝีมือ ฝ้าย ฝ่าย ฝุ่น ฝึก ฝืน ฝัน เฝ้า ฟ้า ฟัง ฟิล์ม ฟุ้ง';
/**
 * The font moves a tone mark over the upper vowel of a tall consonant by 0.16 to 0.24 em to the left.
 * MuPDF takes more than 0.15 em between the end of a glyph, here the mark, which has no width, and
 * the next one for a space. It does the same with what Chromium prints.
 */
const SPLIT_WORDS = 'ปั้น ฝั่ง ฟื้นฟู เปื้อน ปั๊ม ฝึ่ง ฟั่น ปึ้ง';

/** The words that the text does not have between blanks. */
function missing(text: string, wanted: readonly string[]): readonly string[] {
  const words = new Set(text.split(/\s+/));
  return wanted.filter((word) => !words.has(word));
}

t.test('words with tall consonants are found, in each style of the font', async (t) => {
  const words = TALL_WORDS.split(' ');
  const split = SPLIT_WORDS.split(' ');
  const styles = [{}, { bold: true }, { italics: true }, { bold: true, italics: true }];
  for (const style of styles) {
    const content = [...words, ...split].map((text) => ({ text, ...style }));
    const template = { templateId: 't', language: 'th', document: { content } };
    const { pdf } = await render(shareTemplate(JSON.stringify(template)), {});
    const { mupdf, ...others } = await copyText(pdf, join(t.testdir(), 'tall.pdf'));
    for (const [reader, text] of Object.entries(others)) {
      t.strictSame(missing(text, [...words, ...split]), [], reader);
    }
    t.strictSame(missing(mupdf, words), [], 'MuPDF');
    // The letters are right and in order; nothing but the space keeps a search from finding them.
    t.strictSame(missing(mupdf.replaceAll(' ', ''), split), [], 'MuPDF, without its spaces');
  }
});

const CONSONANTS = Array.from('กขคฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ');
const TONES = ['', ...Array.from('่้๊๋์')];
const TALL = 'ปฝฟ';
/** Every how manieth syllable is tried; `INTAGLIO_TEST_SYLLABLES=1` tries all. */
const THINNING = Number(process.env['INTAGLIO_TEST_SYLLABLES'] ?? '3');

/**
 * Syllables as they occur. MuPDF separates a tone mark that a font moves far to the left, which it
 * does over the vowels of tall consonants; ็ has no tone mark in any word.
 */
function syllables(): string[] {
  return CONSONANTS.flatMap((consonant) => {
    const isTall = TALL.includes(consonant);
    const vowels = ['', ...Array.from('ัิีึืุู')];
    const toned = vowels.flatMap((vowel) =>
      TONES.filter((tone) => !isTall || vowel === '' || tone === '' || 'ุู'.includes(vowel)).map(
        (tone) => `${consonant}${vowel}${tone}`,
      ),
    );
    const ams = isTall || consonant === 'ษ' ? [] : ['ำ', '่ำ', '้ำ'];
    return [...toned, `${consonant}็`, ...ams.map((am) => consonant + am)];
  }).map((syllable) => `น${syllable}น`);
}

t.test('syllables are copied as written, in each style of the font', async (t) => {
  const words = syllables();
  t.ok(words.length > 2_000);
  const styles = [{}, { bold: true }, { italics: true }, { bold: true, italics: true }];
  const shown = words.filter((_, index) => index % THINNING === 0);
  const content = styles.flatMap((style, styleIndex) => {
    const own = shown.map((word) => `${word}${styleIndex}`);
    const rows: object[] = [];
    for (let at = 0; at < own.length; at += 8) {
      rows.push({ text: own.slice(at, at + 8).join('  '), noWrap: true, ...style });
    }
    return rows;
  });
  const template = { templateId: 't', language: 'th', document: { content } };
  const { pdf } = await render(shareTemplate(JSON.stringify(template)), {});
  const texts = await copyText(pdf, join(t.testdir(), 'syllables.pdf'));
  for (const [reader, text] of Object.entries(texts)) {
    const wanted = styles.flatMap((_, styleIndex) => shown.map((word) => `${word}${styleIndex}`));
    t.strictSame(
      wanted.filter((word) => !text.includes(word)),
      [],
      reader,
    );
  }
});

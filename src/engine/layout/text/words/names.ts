import { KIND } from './lexicon.ts';
import type { Word } from './segment.ts';

/**
 * Names that no list can hold: what follows a title is the name of a person, what follows ถนน or
 * ตำบล the name of a place. Such a name is one word up to the first word that continues the
 * sentence.
 */

/** A title joined to a name, except words that merely begin like a title. */
const TITLED =
  /^(?:และ|กับ|โดย|คือ|ให้|แก่|ของ|หรือ)?(?:นาย(?!จ้าง|หน้า|ทะเบียน|อำเภอ|ประกัน|ก(?:รัฐ|ฯ|$))|นางสาว|นาง(?!พยาบาล)|คุณ(?!ภาพ|สมบัติ|ค่า|ลักษณะ|ธรรม|วุฒิ|ประโยชน์|ูปการ|ครู)|เด็กชาย|เด็กหญิง|น\.ส\.|ด\.[ชญ]\.|ดร\.)/u;
/** A title that stands alone before a name. */
const TITLE =
  /^(?:นาย|นาง|นางสาว|คุณ|ดร\.|ศ\.|รศ\.|ผศ\.|น\.ส\.|เด็กชาย|เด็กหญิง|(?:ว่าที่)?(?:พล|พัน|ร้อย|สิบ|จ่าสิบ|นาวา|เรือ|พลเรือ|พลอากาศ|เรืออากาศ|นาวาอากาศ)(?:ตำรวจ)?(?:เอก|โท|ตรี)|นายแพทย์|แพทย์หญิง|คุณหญิง|หม่อมหลวง|หม่อมราชวงศ์)(?:หญิง)?$/u;
const TITLES: ReadonlySet<string> = new Set(['นาย', 'นาง', 'นางสาว', 'เด็กชาย', 'เด็กหญิง']);
const PLACES: ReadonlySet<string> = new Set(['ถนน', 'ซอย', 'ตำบล', 'แขวง', 'อำเภอ', 'หมู่บ้าน']);
/** A name follows these, as in อาคารศรีเฟื่องฟุ้ง, or an everyday word, as in อาคารสำนักงาน. */
const BUILDINGS: ReadonlySet<string> = new Set(
  `อาคาร ตึก โครงการ คอนโด คอนโดมิเนียม ตรอก เกาะ วัด โรงเรียน สะพาน คลอง บ้าน แยก ย่าน ร้าน สถานี ตลาด เขต จังหวัด
  เมือง นิคมอุตสาหกรรม โรงแรม โรงพยาบาล มูลนิธิ ท่าเรือ สำนักสงฆ์ มหาวิทยาลัย วิทยาลัย หาด อ่าว เขื่อน ห้างสรรพสินค้า`
    .trim()
    .split(/\s+/u),
);
/** A firm's name follows these, up to จำกัด. */
const FIRM =
  /(?:บริษัท|บริษัทหลักทรัพย์|บริษัทเงินทุน|ห้างหุ้นส่วนจำกัด|ห้างหุ้นส่วนสามัญนิติบุคคล|ห้างหุ้นส่วนสามัญ|ห้างหุ้นส่วน|ห้าง|หจก\.|บจก\.|บมจ\.|บลจ\.|บล\.|หสน\.) (?:[^ ()]+ )?$/u;
/** Rules out most texts before the longer pattern is tried: hot. */
const FIRM_LETTERS = /บริษัท|ห้าง|จก\.|บมจ|บลจ|บล\.|หสน/u;
/** How far back the word for a firm is searched. */
const FIRM_BEFORE_MAX = 60;
/** What follows the name of a firm instead of continuing it. */
const NOT_FIRM = /^(?:จำกัด|มหาชน)/u;
/** Words that continue a sentence after a name; no name begins with one. */
const AFTER_NAMES: ReadonlySet<string> = new Set(
  `ซึ่ง อยู่ ได้ และ เป็น ผู้ ตกลง ขอ ใน ที่ มี โดย จะ กับ หรือ ให้ อายุ เลขที่ บัตร จำกัด ถือ ทำ จ่าย รับ โอน
  ชำระ กู้ เปิด ลงนาม ลงชื่อ มอบ ตาม ต่อ จาก ถึง เพื่อ แก่ ว่า นี้ นั้น แล้ว ต้อง ตำแหน่ง ในฐานะ ณ ไม่ คือ สาขา เข้า
  ตำบล แขวง อำเภอ เขต จังหวัด ถนน ซอย หมู่ หมู่ที่ กรุงเทพมหานคร ด้วย ทั้ง ยินยอม ผู้กู้ ผู้โอน ผู้รับโอน ผู้ค้ำประกัน
  ผู้มอบอำนาจ ผู้รับมอบอำนาจ บิดา มารดา สามี ภรรยา กรรมการ ผู้จัดการ บริษัท ธนาคาร สาย ทุก ห้าม ใกล้ ตัด ตรง
  ไป มา ของ นาย นาง นางสาว เด็กชาย เด็กหญิง ขอรับรอง ได้รับ ทราบ เห็น เสีย ร่วม ร่วมกัน เกิด หมายถึง ดัง ดังกล่าว`
    .trim()
    .split(/\s+/u),
);
const PERSON_LENGTH_MAX = 26;
const PLACE_LENGTH_MAX = 14;
const SPACE = 0x20;
/** First letters of titles. */
const TITLE_LETTERS = 'นเดคศรผวพสจหแกโใข';
const TITLE_LENGTH_MAX = 20;
/** How far back a title is searched. */
const TITLE_BEFORE_MAX = 60;

/**
 * Whether the run at `start` is the next part of a person's name: after a title, or after นายสมชาย.
 */
export function readsAsSurname(text: string, start: number): boolean {
  if (start < 3 || text.charCodeAt(start - 1) !== SPACE) return false;
  const second = text.lastIndexOf(' ', start - 2);
  const before = text.slice(Math.max(second + 1, start - TITLE_BEFORE_MAX), start - 1);
  if (mayBeTitled(before) && (TITLED.test(before) || TITLE.test(before))) return true;
  if (second <= 0) return false;
  const third = text.lastIndexOf(' ', second - 1);
  const title = text.slice(Math.max(third + 1, second - TITLE_BEFORE_MAX), second);
  return title.length <= TITLE_LENGTH_MAX && mayBeTitled(title) && TITLE.test(title);
}

/** Whether the run at `start` is the name of a firm, or the next part of one. */
export function readsAsFirm(text: string, start: number): boolean {
  if (start < 3 || text.charCodeAt(start - 1) !== SPACE) return false;
  const before = text.slice(Math.max(0, start - FIRM_BEFORE_MAX), start);
  return (
    FIRM_LETTERS.test(before) && FIRM.test(before) && !NOT_FIRM.test(text.slice(start, start + 5))
  );
}

/** Rules out most words before a pattern is tried: hot. */
function mayBeTitled(text: string): boolean {
  return TITLE_LETTERS.includes(text.charAt(0));
}

/** End of the name that begins with the word at `index`: where the sentence continues. */
export function nameEnd(run: string, words: readonly Word[], index: number): number {
  return nameEndFrom(run, words, index, PERSON_LENGTH_MAX);
}

/** End of the name that the word at `index` announces, or 0. */
export function placeEnd(run: string, words: readonly Word[], index: number, text: string): number {
  if (TITLES.has(text)) return nameEndFrom(run, words, index + 1, PERSON_LENGTH_MAX);
  if (PLACES.has(text)) return nameEndFrom(run, words, index + 1, PLACE_LENGTH_MAX);
  return BUILDINGS.has(text) ? buildingEnd(run, words, index + 1) : 0;
}

/** A word longer than this is not a syllable of a name. */
const NAME_PART_LENGTH_MAX = 5;

/** End of the name of a building that begins with the word at `from`: rare and short words. */
function buildingEnd(run: string, words: readonly Word[], from: number): number {
  const start = words[from - 1]?.end ?? 0;
  let at = start;
  for (let index = from; index < words.length; index++) {
    const { end: next, kind } = words[index] ?? { end: 0, kind: KIND.common };
    const isPart = kind === KIND.word && next - at <= NAME_PART_LENGTH_MAX;
    if (!isPart && kind > KIND.rare && kind !== KIND.loan) break;
    if (AFTER_NAMES.has(run.slice(at, next))) break;
    at = next;
  }
  return at - start > PLACE_LENGTH_MAX ? 0 : at;
}

/** End of the name that begins with the word at `from`; 0 when it would exceed `lengthMax`. */
function nameEndFrom(run: string, words: readonly Word[], from: number, lengthMax: number): number {
  const start = from === 0 ? 0 : (words[from - 1]?.end ?? 0);
  let at = start;
  for (let index = from; index < words.length; index++) {
    const next = words[index]?.end ?? 0;
    if (AFTER_NAMES.has(run.slice(at, next))) break;
    at = next;
  }
  return at - start > lengthMax ? 0 : at;
}

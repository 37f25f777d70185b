import { KIND } from './lexicon.ts';
import type { Word } from './segment.ts';

/** Whether a line may end between two words of a run of Thai: freely, reluctantly, or never. */

export const FREE = 0;
/** Only if much of the line would stay empty otherwise. */
const SOFT = 1;
/** Only if most of the line would stay empty otherwise. */
export const RELUCTANT = 2;
export const NEVER = 3;

/** Kind of a word that the lexicon does not have. */
const UNKNOWN = 0;

/** A rare word longer than this is never part of an unknown one. */
const PART_LENGTH_MAX = 4;
/** A part of this length beside a loan word is likely a word. */
const NAME_LENGTH_MIN = 5;
/** A loan word up to this length may be part of a longer one. */
const LOAN_LENGTH_MAX = 6;
const THANTHAKHAT = '\u0e4c';
/** Read as one word with the noun before it: งวดละ, บาทละ. */
const EACH = 'ละ';
/** Words that belong to the noun, classifier or amount before them: ฉบับ|นี้, บาท|ถ้วน. */
const ENDINGS: ReadonlySet<string> = new Set('ถ้วน นี้ นั้น ใด จริง เดิม เดียว แรก เต็ม เศษ'.split(' '));

/** How reluctantly a line ends between two words; `text` and `nextText` are their letters. */
export function reluctanceBetween(word: Word, next: Word, text: string, nextText: string): number {
  if (word.kind === KIND.binds) return NEVER;
  if (word.kind === KIND.avoids) return SOFT;
  if (word.kind === KIND.head) return isEveryday(next) || next.kind === KIND.loan ? SOFT : NEVER;
  if (word.kind === KIND.digit && next.kind === KIND.multiplier) return SOFT;
  if (nextText === EACH) return RELUCTANT;
  if (ENDINGS.has(nextText)) return SOFT;
  if (AGENTS.has(text)) return isEveryday(next) ? SOFT : NEVER;
  if (isForeign(next) && LOAN_BEGINS.has(text)) return NEVER;
  if (isForeign(word) && LOAN_ENDS.has(nextText)) return NEVER;
  if (isPartOfOne(word, next, text, nextText)) {
    const isLoan = word.kind === KIND.loan || next.kind === KIND.loan;
    const areLong = Math.min(text.length, nextText.length) >= NAME_LENGTH_MIN;
    return isLoan && areLong ? RELUCTANT : NEVER;
  }
  const areShort = isShortContent(word, text) && isShortContent(next, nextText);
  return areShort ? RELUCTANT : FREE;
}

/**
 * Whether a word may be half of a compound, which two short words often are: หลง|เชื่อ, อ่อน|ค่า.
 */
function isShortContent({ kind }: Word, text: string): boolean {
  return (
    text.length <= PART_LENGTH_MAX &&
    (kind === KIND.word || kind === KIND.rare || kind === KIND.common)
  );
}

/** Whether two words are likely parts of one that is not in the lexicon. */
function isPartOfOne(word: Word, next: Word, text: string, nextText: string): boolean {
  // A part with a silent letter usually belongs to a longer loan word: ซอฟต์|แวร์, มาร์|เก็ต.
  if (next.kind === UNKNOWN && text.endsWith(THANTHAKHAT)) return true;
  if (word.kind === UNKNOWN && isLoanPart(nextText)) return true;
  if (next.kind === UNKNOWN && mayBeSyllable(word, text)) return true;
  if (word.kind === UNKNOWN && mayBeSyllable(next, nextText)) return true;
  return isUnsure(word, text.length) && isUnsure(next, nextText.length);
}

/** Words that name a person together with what follows: ผู้รับ|สัมปทาน, ผู้ถือ|หน่วยลงทุน. */
const AGENTS: ReadonlySet<string> = new Set(
  'ให้ รับ ถือ ทำ ทรง ขอ ออก เสีย จัดทำ ใช้ มี สั่ง จ่าย ตรวจ ครอบครอง นำ ถูก ก่อ'
    .split(' ')
    .map((verb) => `ผู้${verb}`),
);
/** Loan words that begin longer ones; `LOAN_ENDS` end them, and those in both lists join two. */
const LOAN_BEGINS: ReadonlySet<string> = new Set(
  `เดอะ อินเตอร์ ซูเปอร์ ไมโคร มัลติ ออมนิ ไบโอ ทรานส์ ไฮเปอร์ เมกะ นาโน เทเล ออโต้ ออโต ไฮโดร เพโทร เปโตร
  แบล็ก เช็ก น็อน คอล เน็ต อัป ดาวน์ แบ็ก เซลฟ์ โอเพน สมาร์ต โซลาร์ เฮลท์ เวลธ์ ครอส พรี รี โค เอเชีย แปซิฟิก ไทย สยาม
  แอนด์ ออฟ กรีน บลู โกลด์ โกลเด้น ซิลเวอร์ รอยัล แกรนด์ เฟิร์ส เฟิร์สต์ นิว นอร์ท เซาท์ อีสต์ เวสต์`
    .trim()
    .split(/\s+/u),
);
const LOAN_ENDS: ReadonlySet<string> = new Set(
  `แอนด์ ออฟ ลิงก์ แลนด์ เวิลด์ เทค ฟู้ด ฟู้ดส์ ลิสต์ บล็อก บอร์ด แมน ไลน์ ทาวน์ พอยต์ เพลซ เฮ้าส์ เฮาส์ ซิตี้ ทาวเวอร์
  พาร์ก พาร์ค วิลล์ แวร์ โหลด เอาต์ เอาท์ โน้ต มอลล์ โฟน แบงก์ คาร์ด พาร์ต พาร์ท พาร์ทส์ แพด เวย์ ไทม์ โชว์ ช็อป มาร์ท
  บุ๊ก บุ๊ค เซฟ โปร พลัส เจอร์ เตอร์ ชั่น ชัน ซิ่ง ดิ้ง ติ้ง ลิ่ง นิ่ง กิ้ง ริ่ง มิ่ง โรล ควอเตอร์`
    .trim()
    .split(/\s+/u),
);
const TONES = /[่-๋]/u;

function isForeign({ kind }: Word): boolean {
  return kind === KIND.loan || kind === UNKNOWN;
}

const OPEN_SYLLABLE = /^[เแโไ]?[ก-ฮ](?:า|ี|ู)?$/u;

/** Whether a short word may be a syllable of the unknown word beside it: บาริส|ตา, ไฮ|ยา. */
function mayBeSyllable({ kind }: Word, text: string): boolean {
  if (kind === KIND.common) return OPEN_SYLLABLE.test(text);
  return kind === KIND.word && text.length <= PART_LENGTH_MAX && !TONES.test(text);
}

function isLoanPart(text: string): boolean {
  return text.length <= LOAN_LENGTH_MAX && text.includes(THANTHAKHAT);
}

function isEveryday({ kind }: Word): boolean {
  return kind >= KIND.common && kind < KIND.loan;
}

/** Whether a word is unknown, or short and rare; two such neighbours belong together. */
export function isUnsure({ kind }: Word, length: number): boolean {
  return kind === UNKNOWN || (kind === KIND.rare && length <= PART_LENGTH_MAX);
}

import type { Random } from '../random.ts';

/** The words of a document. */
export interface Vocabulary {
  word(list: readonly string[]): string;
  person(): string;
  address(): string;
}

/** `cold`: no Thai word of a document occurs in an earlier one, so that no shaping cache helps. */
export function vocabulary(random: Random, cold: boolean): Vocabulary {
  function word(list: readonly string[]): string {
    const known = random.pick(list);
    if (!cold) return known;
    return known.replace(/[\u0e00-\u0e7f]+/g, (thai) => coinWord(random, thai.length));
  }
  return {
    word,
    person: () => `${random.pick(TITLES)}${word(FIRST_NAMES)} ${word(SURNAMES)}`,
    address: () =>
      `${1 + random.below(999)}/${1 + random.below(99)} ถนน${word(STREETS)} ` +
      `${word(DISTRICTS)} ${word(PROVINCES)} ${random.digits(5)}`,
  };
}

const CONSONANTS = 'กขคงจชซดตถทนบปผพฟมยรลวสหอ';
const FINALS = 'กงดนบมยว';
const TONES = ['', '\u0e48', '\u0e49'];
const LEADING = 'เแโไใ';
const ABOVE = '\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39\u0e31';

/** A made-up syllable of a vowel, a consonant and perhaps a tone mark and a final consonant. */
function coinSyllable(random: Random): string {
  const consonant = CONSONANTS[random.below(CONSONANTS.length)] ?? 'ก';
  const tone = TONES[random.below(TONES.length)] ?? '';
  const final = FINALS[random.below(FINALS.length)] ?? 'น';
  switch (random.below(5)) {
    case 0:
      return (LEADING[random.below(LEADING.length)] ?? 'เ') + consonant + tone + final;
    case 1:
      return `${consonant}${tone}\u0e33`;
    case 2:
      return `${consonant}${tone}า${final}`;
    default:
      return consonant + (ABOVE[random.below(ABOVE.length)] ?? '\u0e34') + tone + final;
  }
}

/** A made-up word about as long as the one that it replaces. */
function coinWord(random: Random, length: number): string {
  let text = '';
  while (text.length < length) text += coinSyllable(random);
  return text;
}

/** Real Thai words, many of them with sara am. */
export const FIRST_NAMES = [
  'สมชาย',
  'สมหญิง',
  'ปิยะดา',
  'ณัฐพงษ์',
  'กาญจนา',
  'วรรณวิภา',
  'ธีรวัฒน์',
  'ชลธิชา',
  'อัญชลี',
  'ศักดิ์สิทธิ์',
  'พิมพ์ชนก',
  'กิตติศักดิ์',
  'สุภาพร',
  'จิราภรณ์',
  'อนันต์',
  'รุ่งโรจน์',
  'เบญจมาศ',
  'ทรงศักดิ์',
  'น้ำฝน',
  'กำธร',
  'อำไพ',
  'บุญญฤทธิ์',
  'ปฐมพงษ์',
  'ฐิติมา',
  'เกียรติศักดิ์',
  'ลำดวน',
  'ขวัญฤดี',
  'ไพโรจน์',
  'ดวงกมล',
  'วิไลวรรณ',
] as const;

export const SURNAMES = [
  'ใจดี',
  'สุขสวัสดิ์',
  'ทองคำ',
  'รัตนกุล',
  'ศรีสุวรรณ',
  'พงษ์พานิช',
  'วงศ์ใหญ่',
  'จันทร์เพ็ญ',
  'แก้วมณี',
  'บุญเรือง',
  'เจริญผล',
  'อินทร์แก้ว',
  'ธำรงศักดิ์',
  'สำราญใจ',
  'ลิ้มเจริญ',
  'ปั้นทอง',
  'ฝั่งชลจิตร',
  'กำเนิดศิริ',
  'น้อยอ่ำ',
  'เปี่ยมสุข',
  'คุ้มครอง',
  'ชื่นบาน',
  'ตั้งวงศ์',
  'เทียนทอง',
  'ประเสริฐศรี',
  'มั่งมี',
  'ยิ้มแย้ม',
  'โพธิ์ทอง',
  'หอมหวาน',
  'อ่อนน้อม',
] as const;

export const DISTRICTS = [
  'บางรัก',
  'ปทุมวัน',
  'จตุจักร',
  'ดุสิต',
  'พระโขนง',
  'บางกะปิ',
  'ลาดพร้าว',
  'ยานนาวา',
  'ห้วยขวาง',
  'คลองเตย',
  'เมืองเชียงใหม่',
  'หาดใหญ่',
  'บางละมุง',
  'เมืองขอนแก่น',
  'ลำลูกกา',
  'กำแพงแสน',
  'บ้านโป่ง',
  'ปั๊กธงชัย',
  'น้ำพอง',
  'สำโรงเหนือ',
] as const;

export const PROVINCES = [
  'กรุงเทพมหานคร',
  'เชียงใหม่',
  'สงขลา',
  'ชลบุรี',
  'ขอนแก่น',
  'ปทุมธานี',
  'นครปฐม',
  'ราชบุรี',
  'ลำปาง',
  'กำแพงเพชร',
  'อำนาจเจริญ',
  'นครราชสีมา',
  'สมุทรปราการ',
  'ภูเก็ต',
  'อุดรธานี',
  'พระนครศรีอยุธยา',
] as const;

export const STREETS = [
  'สุขุมวิท',
  'พหลโยธิน',
  'รัชดาภิเษก',
  'เพชรบุรีตัดใหม่',
  'สีลม',
  'สาทรเหนือ',
  'ลาดพร้าว',
  'รามคำแหง',
  'งามวงศ์วาน',
  'แจ้งวัฒนะ',
] as const;

export const PRODUCTS = [
  'ค่าธรรมเนียมจัดการสินเชื่อ',
  'ดอกเบี้ยรับประจำงวด',
  'ค่าเบี้ยประกันภัยรถยนต์',
  'ค่าบริการทำรายการข้ามเขต',
  'น้ำดื่มบรรจุขวด',
  'กระดาษถ่ายเอกสาร',
  'ค่าอากรแสตมป์',
  'หมึกพิมพ์เลเซอร์สีดำ',
  'ค่าจดจำนอง',
  'ค่าสำรวจและประเมินราคา',
  'ตู้เก็บเอกสารเหล็ก',
  'ค่าทวงถามหนี้ค้างชำระ',
  'บริการรับฝากตู้นิรภัย',
  'ค่าต่ออายุสมาชิกรายปี',
  'ปั๊มน้ำอัตโนมัติ',
  'ค่าออกหนังสือค้ำประกัน',
  'ค่าแปลงสกุลเงินต่างประเทศ',
  'สมุดบัญชีเล่มใหม่',
  'ค่าที่ปรึกษากฎหมาย',
  'เก้าอี้สำนักงาน',
] as const;

export const TRANSACTIONS = [
  'โอนเงินพร้อมเพย์',
  'ชำระค่าสาธารณูปโภค',
  'รับโอนเงินเดือน',
  'ถอนเงินสดเครื่องอัตโนมัติ',
  'นำฝากเช็ค',
  'ค่าธรรมเนียมรายปี',
  'ซื้อสินค้าผ่านบัตร',
  'ดอกเบี้ยเงินฝาก',
  'หักบัญชีอัตโนมัติ',
  'ชำระสินเชื่อบ้าน',
  'จ่ายบิลค่าน้ำประปา',
  'โอนต่างธนาคาร',
  'เติมเงินโทรศัพท์',
  'คืนเงินลูกค้า',
  'ชำระบัตรเครดิต',
  'รับเงินปันผล',
] as const;

export const TITLES = ['นาย', 'นาง', 'นางสาว'] as const;

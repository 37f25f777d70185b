/**
 * Words that must not be torn at a line end although the dictionary knows their parts: terms of
 * banking and law, dates, names of banks and products.
 */
const WORDS: readonly string[] = `
วันที่ เวลาที่ สถานที่ เจ้าหน้าที่ หน้าที่ พื้นที่ เนื้อที่ ที่อยู่ ที่ดิน ที่ทำการ ที่ตั้ง ณวันที่ เลขที่ บัญชีเลขที่ ครั้งที่ ลำดับที่ ข้อที่ หน้าที่ สาขาที่
คงเหลือ ยอดคงเหลือ ยอดยกมา ยอดยกไป ยกมา ยกไป ยอดเงิน ยอดรวม รวมทั้งสิ้น ทั้งสิ้น จำนวนเงิน จำนวนเต็ม เงินฝาก เงินกู้ เงินต้น เงินสด เงินโอน
เงินเดือน เงินปันผล เงินทุน ดอกเบี้ย อัตราดอกเบี้ย ค่าธรรมเนียม ค่าปรับ ค่าบริการ ค่างวด ค่าใช้จ่าย ผู้กู้ ผู้ให้กู้ ผู้ค้ำประกัน ค้ำประกัน ผู้รับโอน ผู้โอน ผู้ฝาก ผู้ถือบัตร
ผู้ขอสินเชื่อ ผู้จัดการ ผู้อำนวยการ ผู้มีอำนาจ ผู้รับมอบอำนาจ ผู้มอบอำนาจ มอบอำนาจ ผู้ถือหุ้น ผู้เช่า ผู้ให้เช่า ผู้ซื้อ ผู้ขาย ผู้เอาประกัน ผู้รับประกัน ผู้รับประโยชน์ ผู้รับเงิน ผู้จ่ายเงิน ผู้ว่าจ้าง ผู้รับจ้าง
คู่สัญญา สัญญากู้ยืม กู้ยืม กู้ยืมเงิน สินเชื่อ สินเชื่อบุคคล สินเชื่อบ้าน บัตรเครดิต บัตรเดบิต บัตรประชาชน บัตรประจำตัวประชาชน เลขประจำตัว เลขประจำตัวผู้เสียภาษี ผู้เสียภาษี ภาษีมูลค่าเพิ่ม มูลค่าเพิ่ม ภาษีหัก หักภาษี ณที่จ่าย
ใบเสร็จรับเงิน ใบเสร็จ รับเงิน ใบกำกับภาษี กำกับภาษี ใบแจ้งหนี้ แจ้งหนี้ ใบแจ้งยอด ใบสำคัญ ใบรับรอง หนังสือรับรอง หนังสือมอบอำนาจ รายการเดินบัญชี เดินบัญชี เดินสะพัด กระแสรายวัน ออมทรัพย์ ฝากประจำ
สมุดบัญชี บัญชีเงินฝาก เลขที่บัญชี ชื่อบัญชี ธนาคารแห่งประเทศไทย แห่งประเทศไทย ประเทศไทย ธนาคารกรุงเทพ ธนาคารกรุงไทย ธนาคารกสิกรไทย ธนาคารไทยพาณิชย์ ธนาคารกรุงศรีอยุธยา กรุงศรีอยุธยา
ธนาคารออมสิน ธนาคารอาคารสงเคราะห์ อาคารสงเคราะห์ ธนาคารทหารไทยธนชาต ทหารไทยธนชาต ธนาคารเกียรตินาคินภัทร เกียรตินาคินภัทร ธนาคารทิสโก้ ธนาคารยูโอบี ธนาคารซีไอเอ็มบี ไทยพาณิชย์ กสิกรไทย กรุงไทย กรุงเทพ กรุงเทพมหานคร
พร้อมเพย์ พร้อมเพย์ไอดี คิวอาร์โค้ด โมบายแบงก์กิ้ง อินเทอร์เน็ตแบงก์กิ้ง แบงก์กิ้ง เอทีเอ็ม ตู้เอทีเอ็ม วงเงิน วงเงินกู้ วงเงินสินเชื่อ งวดที่ งวดสุดท้าย ชำระเงิน ชำระหนี้ ผิดนัด ผิดนัดชำระ ผิดสัญญา ครบกำหนด กำหนดชำระ
จดทะเบียน ทะเบียนบ้าน ทะเบียนเลขที่ สำนักงานใหญ่ สำนักงาน สาขาย่อย บริษัทจำกัด จำกัดมหาชน มหาชน ห้างหุ้นส่วน หุ้นส่วนจำกัด ลายมือชื่อ ลงลายมือชื่อ ลงชื่อ ลงนาม พยานหลักฐาน หลักฐาน หลักทรัพย์ หลักประกัน ทรัพย์สิน สังหาริมทรัพย์ อสังหาริมทรัพย์ สิ่งปลูกสร้าง รองผู้จัดการ รองผู้อำนวยการ
ประมวลกฎหมาย กฎหมายแพ่ง แพ่งและพาณิชย์ พระราชบัญญัติ ราชบัญญัติ ราชกิจจานุเบกษา ข้อบังคับ ข้อตกลง ข้อกำหนด เงื่อนไข ข้อความ ถูกต้อง ถูกต้องตรงกัน เรียบร้อย ครบถ้วน โอนเงิน ฝากเงิน ถอนเงิน เบิกเงิน ชำระเงินต้น ผ่อนชำระ ทั้งสองฝ่าย ทั้งสอง ข้อมูลส่วนบุคคล ส่วนบุคคล คุ้มครองข้อมูล ความยินยอม ให้ความยินยอม โดยไม่มีเงื่อนไข ทั้งนี้ ดังนี้ ดังกล่าว ดังต่อไปนี้ ต่อไปนี้
เพื่อให้ ซึ่งต่อไป ในฐานะ นิติบุคคล บุคคลธรรมดา บุคคลภายนอก ภายนอก ภายใน ภายในกำหนด ไม่น้อยกว่า ไม่เกิน ไม่เกินกว่า อย่างน้อย อย่างใดอย่างหนึ่ง โทรศัพท์ หมายเลข หมายเลขโทรศัพท์ อีเมล เว็บไซต์ ไปรษณีย์ รหัสไปรษณีย์ ถนน แขวง เขต ตำบล อำเภอ จังหวัด
มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม พุทธศักราช ประจำเดือน ประจำปี ปีบัญชี รายเดือน รายวัน รายปี รายการ
บาทถ้วน ล้านบาท แสนบาท หมื่นบาท พันบาท ร้อยบาท สิบบาท สตางค์ ร้อยละ ต่อปี ต่อเดือน ต่อวัน เปอร์เซ็นต์ เดือนละ ปีละ วันละ งวดละ
นางสาว คุณหญิง น้ำมัน น้ำดื่ม น้ำประปา ไฟฟ้า ประปา ประกันชีวิต ประกันภัย ประกันวินาศภัย วินาศภัย กรมธรรม์ ประกันสังคม กองทุนรวม กองทุนสำรองเลี้ยงชีพ สำรองเลี้ยงชีพ ตราสารหนี้ พันธบัตร หุ้นกู้ แคชเชียร์เช็ค ตั๋วสัญญาใช้เงิน ตั๋วแลกเงิน แลกเงิน
`
  .trim()
  .split(/\s+/u);

/** By first two characters: how few words a position has to be compared with. */
const BY_START = new Map<string, string[]>();
for (const word of WORDS) {
  const start = word.slice(0, 2);
  const list = BY_START.get(start);
  if (list === undefined) BY_START.set(start, [word]);
  else list.push(word);
}
for (const list of BY_START.values()) list.sort((one, other) => other.length - one.length);

const LONG_WORD = 6;

/** Words that a number after them belongs to: `วันที่ 5`, `ร้อยละ 7.50`. */
const BEFORE_NUMBER = ['ที่', 'ข้อ', 'ร้อยละ', 'มาตรา', 'หน้า', 'พ.ศ.', 'งวด', 'โทร.'];

/** Units that belong to the number before them. */
const AFTER_NUMBER = ['บาท', 'สตางค์', 'เปอร์เซ็นต์'];

/**
 * Whether a line may not end at the spaces before `at`: they stand between a number and the word it
 * belongs to.
 */
export function bindsOverSpace(text: string, at: number): boolean {
  let end = at;
  while (end > 0 && text.charCodeAt(end - 1) === SPACE) end--;
  if (isDigit(text.charCodeAt(end - 1))) {
    return AFTER_NUMBER.some((word) => text.startsWith(word, at));
  }
  if (!isDigit(text.charCodeAt(at))) return false;
  return BEFORE_NUMBER.some((word) => text.endsWith(word, end));
}

const SPACE = 0x20;

function isDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0xe50 && code <= 0xe59);
}

/** Every word of the lexicon, for tests and for checks of templates. */
export const LEXICON: readonly string[] = WORDS;

/**
 * Clears the breaks that fall inside a word of the lexicon. `allowed[i]` is 1 where a line may end
 * before character i; it is changed in place.
 */
export function forbidBreaks(run: string, allowed: Uint8Array): void {
  for (let at = 0; at + 1 < run.length; at++) {
    const words = BY_START.get(run.slice(at, at + 2));
    if (words === undefined) continue;
    // A short word counts only where the dictionary, too, lets a word begin: its letters may stand
    // in another word by chance.
    const mayBegin = at === 0 || allowed[at] === 1;
    for (const word of words) {
      if (!mayBegin && word.length < LONG_WORD) continue;
      if (!run.startsWith(word, at)) continue;
      allowed.fill(0, at + 1, at + word.length);
      break;
    }
  }
}

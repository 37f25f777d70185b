/** A currency that amounts in words can name (ISO 4217). */

export interface Currency {
  /** Digits after the point. */
  readonly decimals: 0 | 2 | 3;
  /** The name for one, and for any other number. */
  readonly english: readonly [string, string];
  readonly thai: string;
  /** A hundredth or thousandth in Thai, '' where there is none. */
  readonly thaiPart: string;
}

function money(
  decimals: Currency['decimals'],
  english: string | readonly [string, string],
  thai: string,
  thaiPart: string,
): Currency {
  const names = typeof english === 'string' ? ([english, english] as const) : english;
  return { decimals, english: names, thai, thaiPart };
}

export const CURRENCIES: Readonly<Record<string, Currency>> = {
  THB: money(2, 'baht', 'บาท', 'สตางค์'),
  USD: money(2, ['US dollar', 'US dollars'], 'ดอลลาร์สหรัฐ', 'เซนต์'),
  EUR: money(2, ['euro', 'euros'], 'ยูโร', 'เซนต์'),
  GBP: money(2, ['pound sterling', 'pounds sterling'], 'ปอนด์สเตอร์ลิง', 'เพนนี'),
  JPY: money(0, 'yen', 'เยน', ''),
  CNY: money(2, 'yuan', 'หยวน', 'เฟิน'),
  SGD: money(2, ['Singapore dollar', 'Singapore dollars'], 'ดอลลาร์สิงคโปร์', 'เซนต์'),
  HKD: money(2, ['Hong Kong dollar', 'Hong Kong dollars'], 'ดอลลาร์ฮ่องกง', 'เซนต์'),
  AUD: money(2, ['Australian dollar', 'Australian dollars'], 'ดอลลาร์ออสเตรเลีย', 'เซนต์'),
  CHF: money(2, ['Swiss franc', 'Swiss francs'], 'ฟรังก์สวิส', 'แรปเพน'),
  INR: money(2, ['Indian rupee', 'Indian rupees'], 'รูปีอินเดีย', 'เปซา'),
  MYR: money(2, 'ringgit', 'ริงกิต', 'เซน'),
  KRW: money(0, 'won', 'วอน', ''),
  VND: money(0, 'dong', 'ดอง', ''),
  LAK: money(2, 'kip', 'กีบ', 'อัด'),
  MMK: money(2, ['kyat', 'kyats'], 'จ๊าต', 'ปยา'),
  KWD: money(3, ['Kuwaiti dinar', 'Kuwaiti dinars'], 'ดีนาร์คูเวต', 'ฟิลส์'),
};

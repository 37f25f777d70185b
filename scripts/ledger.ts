/** Transactions of an invented account: the same in every run, with exact sums. */

/** Amounts in satang, so that sums are exact. */
export interface Ledger {
  readonly opening: number;
  readonly closing: number;
  readonly deposits: number;
  readonly withdrawals: number;
  readonly depositCount: number;
  readonly withdrawalCount: number;
  /** Date, time, description, channel, withdrawal, deposit, balance. */
  readonly rows: readonly (readonly string[])[];
}

/** A kind of transaction. */
interface Kind {
  readonly text: string;
  readonly channel: string;
  /** Bounds of the amount, in baht. */
  readonly min: number;
  readonly max: number;
  readonly isDeposit: boolean;
}

const KINDS: readonly Kind[] = [
  { text: 'โอนเงินเข้า พร้อมเพย์', channel: 'MOB', min: 120, max: 9_500, isDeposit: true },
  { text: 'ชำระค่าสินค้าผ่าน QR', channel: 'MOB', min: 35, max: 2_400, isDeposit: false },
  { text: 'ถอนเงินสดจากเครื่องเอทีเอ็ม', channel: 'ATM', min: 500, max: 8_000, isDeposit: false },
  { text: 'ชำระค่าไฟฟ้า', channel: 'INT', min: 480, max: 3_900, isDeposit: false },
  { text: 'ชำระค่าน้ำประปา', channel: 'INT', min: 90, max: 640, isDeposit: false },
  { text: 'รับโอนจากต่างธนาคาร', channel: 'INT', min: 900, max: 18_000, isDeposit: true },
  { text: 'ชำระค่าโทรศัพท์เคลื่อนที่', channel: 'MOB', min: 199, max: 1_299, isDeposit: false },
  { text: 'โอนเงินออก พร้อมเพย์', channel: 'MOB', min: 100, max: 6_000, isDeposit: false },
  { text: 'ฝากเงินสด ณ เคาน์เตอร์', channel: 'BRN', min: 1_000, max: 20_000, isDeposit: true },
  { text: 'ค่าธรรมเนียมบัตรเดบิต', channel: 'SYS', min: 200, max: 350, isDeposit: false },
  { text: 'เติมเงินบัตรโดยสาร', channel: 'MOB', min: 100, max: 900, isDeposit: false },
  { text: 'หักบัญชีอัตโนมัติ เบี้ยประกัน', channel: 'SYS', min: 650, max: 2_800, isDeposit: false },
];

const OPENING_SATANG = 4_525_075;
const SAVINGS_SATANG = 1_500_000;
/** Transactions take place from 8:00 to 21:00. */
const OPENS_MINUTE = 8 * 60;
const OPEN_MINUTES = 13 * 60;
const DAY_MS = 86_400_000;

/** Random numbers from 0 to 1: a linear congruential generator, constants of Numerical Recipes. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export function formatSatang(amount: number): string {
  const baht = Math.floor(amount / 100);
  const satang = String(amount % 100).padStart(2, '0');
  return `${String(baht).replace(/\B(?=(\d{3})+$)/g, ',')}.${satang}`;
}

/** `count` transactions spread over `days` days from `start` (a UTC day in ms). */
export function makeLedger(count: number, startMs: number, days: number, seed: number): Ledger {
  const random = randomNumbers(seed);
  let balance = OPENING_SATANG;
  const sums = { deposits: 0, withdrawals: 0, depositCount: 0, withdrawalCount: 0 };
  const rows = Array.from({ length: count }, (_, index) => {
    const minute = OPENS_MINUTE + Math.floor(random() * OPEN_MINUTES);
    const day = new Date(startMs + Math.floor((index * days) / count) * DAY_MS);
    let kind = KINDS[Math.floor(random() * KINDS.length)] ?? KINDS[0];
    if (kind === undefined) throw new Error('no kinds of transactions');
    const span = kind.max - kind.min;
    let amount = Math.round((kind.min + span * random() ** 2) * 100);
    // The account is never overdrawn: savings are moved to it instead.
    if (!kind.isDeposit && amount > balance) {
      kind = { ...kind, text: 'รับโอนจากบัญชีออมทรัพย์', channel: 'INT', isDeposit: true };
      amount += SAVINGS_SATANG;
    }
    balance += kind.isDeposit ? amount : -amount;
    sums[kind.isDeposit ? 'deposits' : 'withdrawals'] += amount;
    sums[kind.isDeposit ? 'depositCount' : 'withdrawalCount'] += 1;
    const time = `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`;
    const money = formatSatang(amount);
    const [out, into] = kind.isDeposit ? ['', money] : [money, ''];
    const iso = day.toISOString().slice(0, 10);
    return [iso, time, kind.text, kind.channel, out, into, formatSatang(balance)];
  });
  return { opening: OPENING_SATANG, closing: balance, ...sums, rows };
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

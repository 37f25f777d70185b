/**
 * Transactions of an account that does not exist: the same every time, adding up to the satang.
 */

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

interface Kind {
  readonly text: string;
  readonly channel: string;
  readonly min: number;
  readonly max: number;
  readonly deposit: boolean;
}

const KINDS: readonly Kind[] = [
  { text: 'โอนเงินเข้า พร้อมเพย์', channel: 'MOB', min: 120, max: 9_500, deposit: true },
  { text: 'ชำระค่าสินค้าผ่าน QR', channel: 'MOB', min: 35, max: 2_400, deposit: false },
  { text: 'ถอนเงินสดจากเครื่องเอทีเอ็ม', channel: 'ATM', min: 500, max: 8_000, deposit: false },
  { text: 'ชำระค่าไฟฟ้า', channel: 'INT', min: 480, max: 3_900, deposit: false },
  { text: 'ชำระค่าน้ำประปา', channel: 'INT', min: 90, max: 640, deposit: false },
  { text: 'รับโอนจากต่างธนาคาร', channel: 'INT', min: 900, max: 18_000, deposit: true },
  { text: 'ชำระค่าโทรศัพท์เคลื่อนที่', channel: 'MOB', min: 199, max: 1_299, deposit: false },
  { text: 'โอนเงินออก พร้อมเพย์', channel: 'MOB', min: 100, max: 6_000, deposit: false },
  { text: 'ฝากเงินสด ณ เคาน์เตอร์', channel: 'BRN', min: 1_000, max: 20_000, deposit: true },
  { text: 'ค่าธรรมเนียมบัตรเดบิต', channel: 'SYS', min: 200, max: 350, deposit: false },
  { text: 'เติมเงินบัตรโดยสาร', channel: 'MOB', min: 100, max: 900, deposit: false },
  { text: 'หักบัญชีอัตโนมัติ เบี้ยประกัน', channel: 'SYS', min: 650, max: 2_800, deposit: false },
];

/** A small linear congruential generator (Numerical Recipes' constants). */
function generator(seed: number): () => number {
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
  const random = generator(seed);
  const opening = 4_525_075;
  let balance = opening;
  const sums = { deposits: 0, withdrawals: 0, depositCount: 0, withdrawalCount: 0 };
  const rows = Array.from({ length: count }, (_, index) => {
    const minute = 480 + Math.floor(random() * 780);
    const day = new Date(startMs + Math.floor((index * days) / count) * 86_400_000);
    let kind = KINDS[Math.floor(random() * KINDS.length)] ?? KINDS[0];
    if (kind === undefined) throw new Error('no kinds of transactions');
    const span = kind.max - kind.min;
    let amount = Math.round((kind.min + span * random() ** 2) * 100);
    if (!kind.deposit && amount > balance) {
      kind = { ...kind, text: 'รับโอนจากบัญชีออมทรัพย์', channel: 'INT', deposit: true };
      amount += 1_500_000;
    }
    balance += kind.deposit ? amount : -amount;
    sums[kind.deposit ? 'deposits' : 'withdrawals'] += amount;
    sums[kind.deposit ? 'depositCount' : 'withdrawalCount'] += 1;
    const time = `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`;
    const money = formatSatang(amount);
    const [out, into] = kind.deposit ? ['', money] : [money, ''];
    const iso = day.toISOString().slice(0, 10);
    return [iso, time, kind.text, kind.channel, out, into, formatSatang(balance)];
  });
  return { opening, closing: balance, ...sums, rows };
}

function pad(value: number): string {
  return String(value).padStart(2, '0');
}

/**
 * Payloads of Thai payments: the Bank of Thailand's cross-bank bill payment (`|` and lines ended by
 * CR) and PromptPay, an EMVCo merchant-presented QR code.
 */

/** The parts of a payment; '' where one is absent. `amount` is a decimal number of baht. */
export interface Payment {
  readonly payee: string;
  readonly biller: string;
  readonly reference1: string;
  readonly reference2: string;
  readonly amount: string;
}

export type PaymentPart = keyof Payment;

/** Application identifiers of PromptPay credit transfer and bill payment. */
const TRANSFER = 'A000000677010111';
const BILL = 'A000000677010112';
const BAHT = '764';

const REFERENCE = /^[A-Z0-9]{1,20}$/;
/** At most ten digits before the point: both payloads limit the amount to 13 characters. */
const AMOUNT = /^\d{1,10}(?:\.\d{1,2})?$/;

/** Finds the first part that violates the standard; null when all comply. */
export function wrongPaymentPart(payment: Payment): PaymentPart | null {
  const { payee, biller, reference1, reference2, amount } = payment;
  if (payee !== '' && payeeField(payee) === null) return 'payee';
  if (biller !== '' && !/^\d{15}$/.test(biller)) return 'biller';
  if (biller !== '' && !REFERENCE.test(reference1)) return 'reference1';
  if (reference2 !== '' && !REFERENCE.test(reference2)) return 'reference2';
  return amount === '' || AMOUNT.test(amount) ? null : 'amount';
}

/** The bill payment payload. An absent amount is written as 0, which lets the payer enter one. */
export function billPayload({ biller, reference1, reference2, amount }: Payment): string {
  const satang = amount === '' ? '0' : String(BigInt(twoDecimals(amount).replace('.', '')));
  return `|${biller}\r${reference1}\r${reference2}\r${satang}`;
}

/**
 * The EMVCo payload: it pays the biller when one is given, otherwise the payee. An amount of 0 is
 * left out like an absent one, and the payer enters it: a code that has an amount has one above 0.
 */
export function promptPayPayload(payment: Payment): string {
  const { payee, biller, reference1, reference2, amount } = payment;
  const account =
    biller === ''
      ? field('29', field('00', TRANSFER) + (payeeField(payee) ?? ''))
      : field(
          '30',
          field('00', BILL) +
            field('01', biller) +
            field('02', reference1) +
            (reference2 === '' ? '' : field('03', reference2)),
        );
  // Point of initiation method: 11 is a reusable code, 12 a code for one payment.
  const isOpen = !/[1-9]/.test(amount);
  const initiation = field('01', isOpen ? '11' : '12');
  const amountField = isOpen ? '' : field('54', twoDecimals(amount));
  const head = field('00', '01') + initiation + account;
  return withCheckSum(head + field('58', 'TH') + field('53', BAHT) + amountField);
}

/** Appends field 63: the checksum over all preceding bytes and the tag and length of field 63. */
export function withCheckSum(payload: string): string {
  const open = `${payload}6304`;
  return open + crc16(open).toString(16).toUpperCase().padStart(4, '0');
}

/** The field of a phone number, a national or tax id, or an e-wallet id; null for anything else. */
function payeeField(payee: string): string | null {
  const digits = payee.replaceAll(/[\s-]/g, '');
  if (/^0\d{9}$/.test(digits)) return field('01', `0066${digits.slice(1)}`);
  if (/^\d{13}$/.test(digits)) return field('02', digits);
  return /^\d{15}$/.test(digits) ? field('03', digits) : null;
}

function field(tag: string, value: string): string {
  return `${tag}${String(value.length).padStart(2, '0')}${value}`;
}

function twoDecimals(amount: string): string {
  const [whole = '0', fraction = ''] = amount.split('.');
  return `${BigInt(whole)}.${fraction.padEnd(2, '0')}`;
}

/** CRC-16 of ISO/IEC 13239 as EMVCo uses it: polynomial 1021, initial value FFFF, no reflection. */
function crc16(text: string): number {
  let crc = 0xffff;
  for (const byte of Buffer.from(text, 'latin1')) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) {
      crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
    }
    crc &= 0xffff;
  }
  return crc;
}

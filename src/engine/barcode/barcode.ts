import type { BarcodeSymbol } from './encode.ts';
import { encodeBarcode } from './encode.ts';
import type { Payment, PaymentPart } from './payment.ts';
import { billPayload, promptPayPayload, wrongPaymentPart } from './payment.ts';
import { type EncodeFault, isSymbology, SYMBOLOGY_NAMES, type Symbology } from './symbologies.ts';

/** Every kind of barcode that a template can name. */
export const BARCODE_KINDS = [
  ...SYMBOLOGY_NAMES,
  'billPayment',
  'billPaymentQr',
  'promptPay',
] as const;
export type BarcodeKind = (typeof BARCODE_KINDS)[number];

/** The content of a barcode node: the text of a code, or the parts of a payment. */
export const BARCODE_PARTS = [
  'data',
  'payee',
  'biller',
  'reference1',
  'reference2',
  'amount',
] as const;
export type BarcodePart = (typeof BARCODE_PARTS)[number];
export type BarcodeText = Readonly<Record<BarcodePart, string>>;

/** The parts that each kind of barcode accepts; the first part is required. */
export function partsOf(kind: BarcodeKind): readonly BarcodePart[] {
  if (isSymbology(kind)) return ['data'];
  switch (kind) {
    case 'billPayment':
    case 'billPaymentQr':
      return ['biller', 'reference1', 'reference2', 'amount'];
    case 'promptPay':
      return ['payee', 'biller', 'reference1', 'reference2', 'amount'];
  }
}

/** Fills in '' for each part that the template leaves out. */
export function completeText(texts: Partial<Record<BarcodePart, string>>): BarcodeText {
  const {
    data = '',
    payee = '',
    biller = '',
    reference1 = '',
    reference2 = '',
    amount = '',
  } = texts;
  return { data, payee, biller, reference1, reference2, amount };
}

export type BarcodeFault = EncodeFault | PaymentPart;

/** A code to draw, the text of a QR code, a fault and the part that has it, or nothing to draw. */
export type Composed =
  | { readonly kind: 'symbol'; readonly symbol: BarcodeSymbol }
  | { readonly kind: 'qr'; readonly text: string }
  | { readonly kind: 'fault'; readonly part: BarcodePart; readonly fault: BarcodeFault }
  | { readonly kind: 'empty' };

/** Makes the code of a kind of barcode from its parts; an absent part is ''. */
export function composeBarcode(kind: BarcodeKind, text: BarcodeText): Composed {
  if (isSymbology(kind)) {
    return text.data === '' ? { kind: 'empty' } : symbolOf(kind, text.data, 'data');
  }
  return text.biller === '' && text.payee === '' ? { kind: 'empty' } : composePayment(kind, text);
}

function composePayment(
  kind: 'billPayment' | 'billPaymentQr' | 'promptPay',
  payment: Payment,
): Composed {
  const wrong = wrongPaymentPart(payment);
  if (wrong !== null) return { kind: 'fault', part: wrong, fault: wrong };
  if (kind === 'promptPay') return { kind: 'qr', text: promptPayPayload(payment) };
  const payload = billPayload(payment);
  return kind === 'billPaymentQr'
    ? { kind: 'qr', text: payload }
    : symbolOf('code128', payload, 'biller');
}

function symbolOf(symbology: Symbology, text: string, part: BarcodePart): Composed {
  const encoded = encodeBarcode(symbology, text);
  return encoded.kind === 'fault' ? { ...encoded, part } : encoded;
}

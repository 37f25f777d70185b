import t from 'tap';
import { billPayload, promptPayPayload, withCheckSum, wrongPaymentPart } from './payment.ts';

const NONE = { payee: '', biller: '', reference1: '', reference2: '', amount: '' };
const BILL = { ...NONE, biller: '099400016550100', reference1: '123456789012', amount: '1250.5' };

const payTo = (payee: string): string => promptPayPayload({ ...NONE, payee });

t.test('the checksum equals that of published codes', async (t) => {
  // Payloads that other generators of PromptPay codes publish.
  const known =
    '00020101021229370016A000000677010111011300660000000005802TH530376454044.226304E469';
  t.equal(promptPayPayload({ ...NONE, payee: '000-000-0000', amount: '4.22' }), known);
  const open = '00020101021129370016A000000677010111011300668012345675802TH530376463046197';
  t.equal(promptPayPayload({ ...NONE, payee: '0801234567' }), open);
});

t.test('a PromptPay payee is a phone number, a tax id or an e-wallet id', async (t) => {
  t.match(payTo('0994000165501'), '02130994000165501');
  t.match(payTo('004999000288505'), '0315004999000288505');
  for (const payee of ['123', '08012345678', 'x801234567', '1801234567', '09940001655010']) {
    t.equal(wrongPaymentPart({ ...NONE, payee }), 'payee', payee);
  }
});

t.test('a bill payment has an account, two references and satang, each after a CR', async (t) => {
  t.equal(billPayload(BILL), '|099400016550100\r123456789012\r\r125050');
  t.equal(
    billPayload({ ...BILL, reference2: '670048', amount: '' }),
    '|099400016550100\r123456789012\r670048\r0',
  );
  t.equal(billPayload({ ...BILL, amount: '0.05' }), '|099400016550100\r123456789012\r\r5');
});

t.test('a bill in PromptPay names its biller and references', async (t) => {
  const payload = promptPayPayload({ ...BILL, reference2: '670048' });
  const bill = '0016A000000677010112011509940001655010002121234567890120306670048';
  t.match(payload, `30${bill.length}${bill}`);
  t.match(payload, '54071250.50');
  t.equal(payload, withCheckSum(payload.slice(0, -8)));
});

t.test('an amount of 0 is left out, so that the payer enters one', async (t) => {
  // EMVCo merchant-presented mode, 4.7.8: an amount, if present, is different from zero.
  const open = payTo('0801234567');
  for (const amount of ['0', '0.0', '0.00', '00']) {
    t.equal(promptPayPayload({ ...NONE, payee: '0801234567', amount }), open, amount);
  }
  t.match(promptPayPayload({ ...NONE, payee: '0801234567', amount: '0.01' }), '54040.01');
});

t.test('the first part that violates the standard is named', async (t) => {
  t.equal(wrongPaymentPart(BILL), null);
  t.equal(wrongPaymentPart({ ...BILL, biller: '0994000165501' }), 'biller');
  t.equal(wrongPaymentPart({ ...BILL, reference1: '' }), 'reference1');
  t.equal(wrongPaymentPart({ ...BILL, reference1: 'a1' }), 'reference1');
  t.equal(wrongPaymentPart({ ...BILL, reference1: '1'.repeat(21) }), 'reference1');
  t.equal(wrongPaymentPart({ ...BILL, reference2: 'A-1' }), 'reference2');
  for (const amount of ['-1', '1.005', '12345678901', '1,250', 'x']) {
    t.equal(wrongPaymentPart({ ...BILL, amount }), 'amount', amount);
  }
});

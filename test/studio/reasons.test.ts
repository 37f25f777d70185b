import t from 'tap';
import { ApiError } from '../../studio/src/api/client.ts';
import { reasonsEn } from '../../studio/src/i18n/runs/reasons-en.ts';
import { reasonsTh } from '../../studio/src/i18n/runs/reasons-th.ts';
import {
  hasOpenRows,
  sayFurther,
  sayInOrder,
  sayReason,
  unreadAmounts,
} from '../../studio/src/runs/reasons.ts';
import { DocumentLost, lossOf, RowsLost } from '../../src/runs/losses.ts';
import { afterRun } from '../../src/runs/verdict.ts';
import type { RunReason, RunRecord } from '../../src/store/runs/types.ts';

const COUNTS = { stored: 7, pending: 100, invalid: 0, failed: 0, withdrawn: 0, identical: 0 };
const RUN = { counts: COUNTS, invalidShareMax: 0.05 };

t.test('a run at rest without a reason says what a start does', async (t) => {
  const checked = { received: 30, bytesReceived: 900, bytesChecked: 900 };
  const at = (counts: object, rest: object = {}): string | undefined => {
    const run = { state: 'stopped', dryRun: false, reasons: [], ...rest };
    const all = { ...COUNTS, ...checked, stored: 29, pending: 0, withdrawn: 1, ...counts };
    return sayInOrder({ ...run, counts: all })?.key;
  };
  t.equal(at({}), 'runs.in_order_end');
  t.equal(at({ withdrawn: 0, pending: 1 }), 'runs.in_order_rest');
  const check = { state: 'receiving', dryRun: true };
  t.equal(at({ withdrawn: 0, pending: 1 }, check), 'runs.in_order_rest', 'a check of corrections');
  t.equal(at({ stored: 0, pending: 30, withdrawn: 0 }, check), 'runs.in_order');
  t.equal(at({ stored: 0, withdrawn: 30 }), 'runs.all_withdrawn');
  const rows = { name: 'rows', expected: '30', actual: '29' };
  t.equal(at({}, { reasons: [rows] }), undefined, 'a total differs');
  t.equal(at({ invalid: 1 }, check), undefined, 'a row is to be corrected');
  t.equal(at({ bytesChecked: 0 }, check), undefined, 'rows are not checked');
  t.equal(at({}, { state: 'receiving' }), undefined, 'the run was not checked');
  t.equal(at({ received: 0, stored: 0, withdrawn: 0 }, check), undefined, 'there are no rows');
  t.equal(at({}, { state: 'done' }), undefined);
});

t.test('rows of the file are not called documents when a run is checked again', async (t) => {
  const counts = { ...COUNTS, stored: 58, pending: 0, invalid: 2 };
  const keyOf = (actual: string, others = {}): string => {
    const run = { ...RUN, counts: { ...counts, ...others }, expected: { sums: {} } };
    return sayReason(run, { name: 'rows', expected: '59', actual }, String).key;
  };
  t.equal(keyOf('60'), 'run_reason.rows', 'the check of the file');
  t.equal(keyOf('58'), 'run_reason.made', 'the end');
  t.equal(keyOf('58', { invalid: 1, withdrawn: 1 }), 'run_reason.made', 'withdrawn since the end');
  t.equal(keyOf('60', { stored: 0, pending: 58 }), 'run_reason.rows', 'the first check');
  t.match(reasonsEn['run_reason.rows'], / found in the file\.$/);
  t.match(reasonsTh['run_reason.rows'], /ในไฟล์$/);
});

t.test('while rows have no document, no other total is advised', async (t) => {
  const made = { ...COUNTS, pending: 0 };
  t.ok(hasOpenRows({ counts: { ...made, invalid: 2 } }));
  t.ok(hasOpenRows({ counts: { ...made, failed: 1 } }));
  t.notOk(hasOpenRows({ counts: { ...made, withdrawn: 2 } }));
  t.notOk(hasOpenRows({ counts: { ...made, stored: 0, invalid: 2 } }), 'the file is to be right');
});

t.test('rows added to a run with sums only lead to no second document', async (t) => {
  const reasons = [{ name: 'total', expected: '20.00', actual: '40.00' }];
  const expected = { rows: null, sums: { total: '20.00' } };
  const keyOf = (others: object): string | undefined => {
    const counts = { ...COUNTS, stored: 20, pending: 0, ...others };
    return sayFurther({ counts, expected, reasons })?.key;
  };
  t.equal(keyOf({ pending: 20 }), 'totals.made_valid');
  t.equal(keyOf({ withdrawn: 3 }), undefined, 'the documents lack something');
  t.equal(keyOf({ invalid: 3 }), undefined, 'rows are to be withdrawn first');
  t.equal(keyOf({ stored: 0, pending: 20 }), undefined, 'nothing is made yet');
});

t.test('rows added to a run with all its documents are not called missing', async (t) => {
  const reasons = [{ name: 'rows', expected: '60', actual: '63' }];
  const keyOf = (others: object, rows = 60): string | undefined => {
    const counts = { ...COUNTS, stored: 60, pending: 0, ...others };
    return sayFurther({ counts, expected: { rows, sums: {} }, reasons })?.key;
  };
  t.equal(keyOf({ invalid: 3 }), 'totals.further');
  t.equal(keyOf({ withdrawn: 3 }), undefined, 'the sum differs');
  t.equal(keyOf({ invalid: 2, pending: 1 }), 'totals.further_valid');
  t.equal(keyOf({ stored: 59, invalid: 3 }), undefined, 'one is missing');
  t.equal(keyOf({ invalid: 3 }, 63), undefined, 'another total');
  const counts = { ...COUNTS, stored: 60, pending: 0, withdrawn: 3 };
  const run = { ...RUN, counts, expected: { sums: {} } };
  const reason = { name: 'rows', expected: '60', actual: '63' };
  t.equal(sayReason(run, reason, String).key, 'run_reason.rows', 'the check, not the end');
});

t.test('rows whose amount cannot be read are counted once for all sums', async (t) => {
  const sum = { name: 'total', expected: '400.00', actual: '390.00' };
  t.strictSame(unreadAmounts({ reasons: [sum] }), { faulty: 0, withdrawn: 0 });
  t.strictSame(unreadAmounts({ reasons: [] }), { faulty: 0, withdrawn: 0 });
  const reasons = [
    { ...sum, unread: 1, unreadWithdrawn: 2 },
    { ...sum, name: 'fee', unread: 3 },
  ];
  t.strictSame(unreadAmounts({ reasons }), { faulty: 3, withdrawn: 2 });
});

/** What the page of a run says of a reason, in both languages; else the key of its text. */
function said(reason: RunReason, sums: Readonly<Record<string, string>> = {}): string {
  const { key, parameters = {} } = sayReason({ ...RUN, expected: { sums } }, reason, String);
  const textIn = (texts: Readonly<Record<string, string>>): string =>
    (texts[key] ?? key).replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
  return `${textIn(reasonsEn)}\n${textIn(reasonsTh)}`;
}

t.test('what a run has lost is said in the language of the reader', async (t) => {
  // Only these members are read.
  const record = { counts: COUNTS, spec: { expectedRows: null, expectedSums: {} } } as RunRecord;
  const unread = { open: [], withdrawn: [] };
  const exceptions: Parameters<typeof afterRun>[2] = { open: [], withdrawn: [], unread };
  const [lost] = afterRun(record, {}, exceptions);
  const text = lost === undefined ? '' : said(lost);
  t.match(text, /The database has lost 100 of the rows .*\n.*หายไปจากฐานข้อมูล 100 แถว/);
  const part = lossOf(new RowsLost(3, 'damaged'))?.reason;
  t.match(part && said(part), /rows of part 3 are no longer as they came.*\n.*ส่วนที่ 3 /);
  const document = lossOf(new DocumentLost('R-1', '01a2', 'missing'))?.reason;
  t.match(
    document && said(document),
    /missing or expired: row R-1: document 01a2\. Make this row.*\n.*01a2 โปรด/,
  );
  const source = { name: 'source', expected: 'at least one row', actual: 'none' };
  const key = { name: 'key', expected: 'key 00a1', actual: 'missing on an instance' };
  t.match(said(key), /The run waits for the key .*\(key 00a1\).*\nงานกำลังรอกุญแจ.*\(key 00a1\)/);
  const qpdf = { name: 'protection', expected: 'qpdf', actual: 'missing on an instance' };
  t.match(said(qpdf), /waits for qpdf.*\nงานกำลังรอโปรแกรม qpdf/);
  t.match(said(source), /The file cannot be used\. Expected: at least one row\. Found: none\./);
});

t.test('a control sum keeps its name, whatever that is', async (t) => {
  const reason = { name: 'documents', expected: '5', actual: '4' };
  t.match(said(reason, { documents: '5' }), /^run_reason\.sum\n/);
});

function isOfLayout(...reasons: readonly string[]): boolean {
  const fields = reasons.map((reason) => ({ field: 'total', reason }));
  return new ApiError(400, { code: 'invalid_data', fields }).isOfLayout;
}

t.test('refusals of the layout are told from those of the field contract', async (t) => {
  const textLong = 'text is longer than its place on the page';
  t.ok(isOfLayout(textLong, 'amount is wider than its place on the page'));
  t.ok(isOfLayout('amount would be cut by the edge of the page'));
  t.ok(isOfLayout('amount touches the amount beside it'));
  t.notOk(isOfLayout('required'));
  t.notOk(isOfLayout(textLong, 'number expected'), 'the contract comes first');
  t.notOk(isOfLayout());
});

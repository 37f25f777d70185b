import { parseArgs } from 'node:util';
import type { Sharp } from 'sharp';
import sharp from 'sharp';
import { compileContract } from '../../src/engine/contract/contract.ts';
import { prepareImage } from '../../src/engine/image/image.ts';
import { parseSvg } from '../../src/engine/svg/parse.ts';
import type { FieldDescriptor } from '#engine';
import { cpuUsPerCall, printMachine, printRange, rangeOf } from '../harness/micro.ts';
import { ownDecodeBudget } from '../../src/engine/image/decode-budget.ts';

const BUDGET = ownDecodeBudget();

/**
 * CPU time of checking request data, JSON.parse of the same bytes beside it. Run:
 * `node bench/micro/contract.ts [--runs 7] [--scale 1]`
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '7' },
    scale: { type: 'string', default: '1' },
  },
});
const RUNS = Number(values.runs);
/** Multiplies the calls of each run. */
const SCALE = Number(values.scale);
const TABLE_ROWS = 2_000;

function encode(data: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(data));
}

function parseOnly(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
}

async function report(name: string, call: () => unknown, calls: number): Promise<void> {
  const scaled = Math.max(1, Math.round(calls * SCALE));
  printRange(name, rangeOf(await cpuUsPerCall(call, scaled, RUNS)));
}

/** A receipt of 25 fields with a table of ten rows. */
function receipt(): { fields: FieldDescriptor[]; data: Record<string, unknown> } {
  const fields: FieldDescriptor[] = [];
  const data: Record<string, unknown> = {};
  for (let i = 0; i < 9; i++) {
    fields.push({ name: `text${i}`, type: 'text', required: true });
    data[`text${i}`] = `บริษัท ตัวอย่าง จำกัด (มหาชน) ${i}`;
  }
  const money = { decimals: 2, thousandsSeparator: true, prefix: '฿' };
  for (let i = 0; i < 10; i++) {
    fields.push({
      name: `number${i}`,
      type: 'number',
      required: true,
      format: money,
      validation: { min: 0 },
    });
    data[`number${i}`] = `12345.6${i}`;
  }
  const format = { calendar: 'buddhist', pattern: 'd MMMM yyyy' } as const;
  for (let i = 0; i < 4; i++) {
    fields.push({ name: `date${i}`, type: 'date', required: true, format });
    data[`date${i}`] = `2026-11-2${i}`;
  }
  fields.push({ name: 'items', type: 'table', required: true });
  data['items'] = Array.from({ length: 10 }, (_, i) => [String(i), 'ค่าบริการ', '1', '1,250.50']);
  fields.push({ name: 'verify', type: 'qrcode', required: false });
  data['verify'] = 'https://bank.example/v/abcdef0123456789';
  return { fields, data };
}

async function benchReceipt(): Promise<void> {
  const { fields, data } = receipt();
  const contract = compileContract(fields, 'th');
  const bytes = encode(data);
  const escaped = encode({ ...data, text0: 'บรรทัดหนึ่ง\nบรรทัดสอง' });
  const asNumbers = encode({ ...data, number0: 1250.5, number9: 7 });
  await report(`receipt, ${bytes.length} bytes: JSON.parse alone`, () => parseOnly(bytes), 10_000);
  await report('receipt: check', () => contract.check(bytes), 10_000);
  await report('receipt with an escape: check', () => contract.check(escaped), 10_000);
  await report('receipt with JSON numbers: check', () => contract.check(asNumbers), 10_000);
}

async function benchTable(columns: number): Promise<void> {
  const cells = ['2026-11-21', 'โอนเงินเข้าบัญชี', '1,250.50', '', '123,456.78'];
  const row = Array.from({ length: columns }, (_, i) => cells[i % cells.length]);
  const rows = Array.from({ length: TABLE_ROWS }, (_, i) => [`${i}`, ...row.slice(1)]);
  const contract = compileContract(
    [
      { name: 'rows', type: 'table', required: true },
      { name: 'count', type: 'number', required: false },
    ],
    'th',
  );
  const name = `table of ${TABLE_ROWS * columns} cells`;
  const bytes = encode({ rows });
  const escaped = encode({ rows, count: TABLE_ROWS, note: '\n' });
  const asText = encode({ rows: JSON.stringify(rows) });
  await report(`${name}: JSON.parse alone`, () => parseOnly(bytes), 40);
  await report(`${name}: check`, () => contract.check(bytes), 40);
  await report(`${name}, escape and JSON number: check`, () => contract.check(escaped), 40);
  await report(`${name} as JSON string: check`, () => contract.check(asText), 40);
}

function noise(sigma: number, width: number, height: number): Sharp {
  const create = {
    width,
    height,
    channels: 3,
    background: '#888',
    noise: { type: 'gaussian', mean: 128, sigma },
  } as const;
  return sharp({ create });
}

async function benchImages(): Promise<void> {
  const photo = await noise(30, 2400, 1800).blur(1).jpeg({ quality: 80 }).toBuffer();
  const picture = await noise(8, 540, 440).png().toBuffer();
  const logo = await noise(8, 360, 120).ensureAlpha(0.5).png().toBuffer();
  const url = `data:image/jpeg;base64,${photo.toString('base64')}`;
  const contract = compileContract([{ name: 'photo', type: 'image', required: true }], 'th');
  const body = encode({ photo: url });
  await contract.check(body);
  await report(`JPEG of ${photo.length} bytes, seen before: check`, () => contract.check(body), 20);

  // A number after the end of the file makes each copy new to the cache.
  let copies = 0;
  const fresh = (file: Buffer): Uint8Array => {
    const copy = Buffer.alloc(file.length + 4);
    file.copy(copy);
    copy.writeUInt32LE(copies++, file.length);
    return copy;
  };
  const label = 'new to the cache';
  await report(
    `JPEG of ${photo.length} bytes, ${label}`,
    () => prepareImage(fresh(photo), BUDGET),
    4,
  );
  await report(
    `opaque PNG of ${picture.length} bytes, ${label}`,
    () => prepareImage(fresh(picture), BUDGET),
    4,
  );
  await report(
    `RGBA PNG of ${logo.length} bytes, ${label}`,
    () => prepareImage(fresh(logo), BUDGET),
    4,
  );
}

async function benchSvg(): Promise<void> {
  const shapes = Array.from({ length: 100 }, (_, i) => `<path d="M0 ${i}L10 20z" fill="#123"/>`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${shapes.join('')}</svg>`;
  await report(`SVG of 100 paths, ${svg.length} bytes`, () => parseSvg(svg), 200);
}

printMachine(`, ${RUNS} runs`);
await benchReceipt();
await benchTable(5);
await benchTable(10);
await benchImages();
await benchSvg();

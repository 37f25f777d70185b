import { readFileSync, writeFileSync } from 'node:fs';
import { dataUrl, markPng, signaturePng, signatureSvg } from '../lab/pages/artwork.ts';
import { makeLedger } from './ledger.ts';

/**
 * Writes what in `templates/` is made by program: the logo in every template, the signatures of the
 * contract's samples, the statement's samples and `statement.2000.json`. Run it after editing the
 * artwork or the ledger: `node scripts/make-samples.ts`; same input, same files.
 */

interface TemplateFile {
  document: { images?: Record<string, string> };
  samples: { name: string; data: Record<string, unknown> }[];
}

const folder = new URL('../templates/', import.meta.url);
const CONSOLIDATED = ['consolidated', 'consolidated-en'];
const TEMPLATES = ['receipt', 'receipt-en', 'statement', 'contract', 'loan-offer', ...CONSOLIDATED];

/** The templates are kept as prettier formats JSON; here only values change, not the form. */
function readTemplate(name: string): { text: string; file: TemplateFile } {
  const text = readFileSync(new URL(`${name}.json`, folder), 'utf8');
  // The files are this repository's own; a wrong shape fails at the first member read.
  return { text, file: JSON.parse(text) as TemplateFile };
}

/** Replaces the value of one string in the file's text, so that all else stays as written. */
function replaceValue(text: string, from: unknown, to: string): string {
  return text.replace(JSON.stringify(from), () => JSON.stringify(to));
}

function baht(satang: number): string {
  return (satang / 100).toFixed(2);
}

function statementData(count: number, start: string, days: number, seed: number): object {
  const startMs = Date.parse(start);
  const ledger = makeLedger(count, startMs, days, seed);
  return {
    accountName: 'นายสมมติ บันทึกครบถ้วน',
    address: '55/5 หมู่บ้านตัวอย่าง ซอยลายแทง 9 แขวงลายเส้น เขตแกะสลัก กรุงเทพมหานคร 10990',
    accountNo: '0098765432',
    accountType: 'เงินฝากออมทรัพย์',
    branch: 'ถนนแม่พิมพ์',
    statementNo: `ST-2569-${String(seed).padStart(6, '0')}`,
    issued: new Date(startMs + days * 86_400_000).toISOString().slice(0, 10),
    periodFrom: start,
    periodTo: new Date(startMs + (days - 1) * 86_400_000).toISOString().slice(0, 10),
    opening: baht(ledger.opening),
    closing: baht(ledger.closing),
    withdrawals: baht(ledger.withdrawals),
    withdrawalCount: String(ledger.withdrawalCount),
    deposits: baht(ledger.deposits),
    depositCount: String(ledger.depositCount),
    transactions: ledger.rows,
    message: 'ธนาคารไม่มีนโยบายขอรหัสผ่าน รหัสโอทีพี หรือให้ท่านติดตั้งโปรแกรมใดทางโทรศัพท์',
    verify: `https://verify.intaglio.example/s/${String(seed).padStart(6, '0')}`,
  };
}

async function writeLogos(): Promise<void> {
  const logo = dataUrl(await markPng());
  for (const name of TEMPLATES) {
    const { text, file } = readTemplate(name);
    const old = file.document.images?.['logo'];
    if (old === undefined) continue;
    writeFileSync(new URL(`${name}.json`, folder), replaceValue(text, old, logo));
  }
}

function writeStatements(): void {
  const { text } = readTemplate('statement');
  const samples = [
    { name: 'สี่สิบรายการ', data: statementData(40, '2026-10-01', 31, 40) },
    { name: 'สิบสองรายการ หน้าเดียว', data: statementData(12, '2026-11-01', 30, 12) },
  ];
  const at = text.lastIndexOf('"samples":');
  const body = samples.map((sample) => JSON.stringify(sample)).join(',\n    ');
  const path = new URL('statement.json', folder);
  writeFileSync(path, `${text.slice(0, at)}"samples": [\n    ${body}\n  ]\n}\n`);
  const data = statementData(2000, '2026-01-01', 365, 2000);
  writeFileSync(new URL('statement.2000.json', folder), `${JSON.stringify(data)}\n`);
}

async function writeSignatures(): Promise<void> {
  const { text, file } = readTemplate('contract');
  let changed = text;
  for (const [index, { data }] of file.samples.entries()) {
    const png = dataUrl(await signaturePng(3 + index));
    const { borrowerSignature, lenderSignature } = data;
    if (borrowerSignature !== undefined) changed = replaceValue(changed, borrowerSignature, png);
    if (lenderSignature !== undefined) {
      changed = replaceValue(changed, lenderSignature, signatureSvg(7 + index));
    }
  }
  writeFileSync(new URL('contract.json', folder), changed);
}

await writeLogos();
writeStatements();
await writeSignatures();

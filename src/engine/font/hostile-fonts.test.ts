import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { Random } from '../../../lab/fuzz-random.ts';
import { layoutDocument } from '../layout/layout.ts';
import { writeDocument } from '../pdf/document.ts';
import { prepareFile } from '../pdf/template-file.ts';
import { compileTemplate } from '../template/compile.ts';
import { loadFonts } from './library.ts';
import { plainSurroundings } from '../template/fixtures.ts';

/**
 * Mutated font files in the operator's folder: each is either left out with a reason, or a document
 * in it is made. FONT_MUTANTS is their number per font.
 */

const MUTANTS = Number(process.env['FONT_MUTANTS'] ?? 40);
const RENDER_MS_MAX = 5_000;
const require = createRequire(import.meta.url);
const FONTS = [
  'sarabun/400Regular/Sarabun_400Regular.ttf',
  'roboto/400Regular/Roboto_400Regular.ttf',
  'lalezar/Lalezar_400Regular.ttf',
  'miriam-libre/400Regular/MiriamLibre_400Regular.ttf',
].map((name) => require.resolve(`@expo-google-fonts/${name}`));
const ASCII = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('');
const TEXT = `${ASCII} ÀÉÎõüÿ ﬁ AVATAR ½ ใบเสร็จรับเงิน น้ำ ป่า กตัญญู ฟื้น بسم الله שלום`;

interface Table {
  readonly at: number;
  readonly length: number;
}

function tablesOf(font: Buffer): Table[] {
  const count = font.readUInt16BE(4);
  const tables = Array.from({ length: count }, (_, index) => ({
    at: font.readUInt32BE(12 + index * 16 + 8),
    length: font.readUInt32BE(12 + index * 16 + 12),
  }));
  // The directory itself and the first bytes of each table are where a change does most.
  return [{ at: 0, length: 12 + count * 16 }, ...tables];
}

/** Changes a few bytes of one table, mostly near its beginning, or cuts the file. */
function mutate(font: Buffer, random: Random): Buffer {
  if (random.chance(12)) return font.subarray(0, random.below(font.length));
  const copy = Buffer.from(font);
  const table = random.pick(tablesOf(font), { at: 0, length: 12 });
  const reach = random.chance(2) ? Math.min(table.length, 64) : table.length;
  for (let times = 1 + random.below(8); times > 0; times--) {
    const at = table.at + random.below(reach);
    copy[at] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)], 0);
  }
  return copy;
}

/** Renders a document with the fonts of a folder: 'made', or the code of a refusal. */
async function outcomeOf(folder: string): Promise<string> {
  const { library, rejected } = loadFonts(folder);
  if (rejected.length > 0) return 'left out';
  const shipped = loadFonts(null).library;
  const added = library.families.filter((name) => !shipped.has(name));
  for (const font of added.length > 0 ? added : ['Sarabun', 'Roboto']) {
    const content = [{ text: TEXT }, { text: '{{free}}', bold: true }];
    const document = { defaultStyle: { font }, content };
    const fields = [{ name: 'free', type: 'text' }];
    const source = Buffer.from(JSON.stringify({ templateId: 'x', fields, document }));
    const { template, findings } = await compileTemplate(
      source,
      { hash: font },
      plainSurroundings(library),
    );
    if (template === null) return `finding: ${findings[0]?.message}`;
    const checked = await template.contract.check(Buffer.from(JSON.stringify({ free: TEXT })));
    if (!checked.ok) return checked.code;
    const laidOut = layoutDocument(template, checked.value, [], null);
    if (!laidOut.ok) return laidOut.code;
    const nobody = {
      attached: null,
      watermark: null,
      metadata: null,
      signatureBytes: null,
      atMs: 0,
    };
    writeDocument({ template, file: prepareFile(template), document: laidOut.value, ...nobody });
  }
  return 'made';
}

t.test('a mutated font is left out, or documents are made with it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'fonts-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const counts = new Map<string, number>();
  const faults: string[] = [];
  for (const [index, file] of FONTS.entries()) {
    const font = readFileSync(file);
    for (let seed = 1; seed <= MUTANTS; seed++) {
      writeFileSync(join(folder, 'font.ttf'), mutate(font, new Random(seed * 4 + index)));
      const start = process.threadCpuUsage();
      const outcome = await outcomeOf(folder).catch((error: unknown) => `threw ${String(error)}`);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      const { user, system } = process.threadCpuUsage(start);
      const tookMs = (user + system) / 1000;
      if (tookMs > RENDER_MS_MAX) faults.push(`${index}/${seed}: ${Math.round(tookMs)} ms`);
      if (outcome !== 'left out' && outcome !== 'made') faults.push(`${index}/${seed}: ${outcome}`);
    }
  }
  t.comment(JSON.stringify([...counts]));
  t.same(faults, []);
});

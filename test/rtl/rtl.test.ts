import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';

/**
 * Hebrew and Arabic in fonts of the operator's folder: the fonts are used although no template
 * names them, and the text is extracted as it was written.
 */
const require = createRequire(import.meta.url);
const HOME = join(import.meta.dirname, '..', '..');

const PARAGRAPHS = [
  'שלום עולם, זהו משפט (עם סוגריים) בעברית.',
  'פסקה ארוכה מספיק כדי להתפרס על כמה שורות בעמוד, כדי לבדוק את היישור ואת סדר המילים!',
  'مرحبا بالعالم، هذه جملة (بين قوسين) باللغة العربية؟',
  'ويخضع هذا العقد لأحكام القانون ولا يجوز تعديله إلا كتابة بموافقة الطرفين.',
];
/** Lines that mix both directions. */
const MIXED = ['חשבון ABC-123 מיום 21/11/2026', 'The word שלום and the word مرحبا too'];

const folder = mkdtempSync(join(tmpdir(), 'intaglio-rtl-'));
t.teardown(() => rmSync(folder, { recursive: true }));

function useFont(name: string, file: string): void {
  const from = dirname(require.resolve(`@expo-google-fonts/${name}/package.json`));
  copyFileSync(join(from, file), join(folder, `${name}.ttf`));
}

/**
 * The text without pdftotext's additions and reversals: direction marks, and a comma with its
 * space.
 */
function plain(text: string): string {
  return text.replaceAll(/[\u200e\u200f\u202a-\u202e]/gu, '').replaceAll(/[\s,،]+/gu, ' ');
}

t.test('right-to-left text is drawn and can be extracted', async (t) => {
  useFont('miriam-libre', '400Regular/MiriamLibre_400Regular.ttf');
  useFont('lalezar', 'Lalezar_400Regular.ttf');
  const template = {
    templateId: 'rtl',
    language: 'he',
    fields: [{ name: 'lines', type: 'table', required: true }],
    document: {
      pageSize: { width: 300, height: 400 },
      defaultStyle: { alignment: 'justify' },
      content: [{ each: 'lines', text: '{{0}}' }],
    },
  };
  const [source, data, pdf] = ['template.json', 'data.json', 'rtl.pdf'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  writeFileSync(source, JSON.stringify(template));
  writeFileSync(data, JSON.stringify({ lines: [...PARAGRAPHS, ...MIXED].map((line) => [line]) }));
  execFileSync(
    process.execPath,
    [join(HOME, 'src/cli.ts'), 'render', source, '--data', data, '--out', pdf],
    { env: { ...process.env, INTAGLIO_FONTS_DIR: folder }, stdio: 'pipe' },
  );
  t.match(execFileSync('qpdf', ['--check', pdf]).toString(), /No syntax or stream encoding/);
  const text = plain(execFileSync('pdftotext', ['-layout', pdf, '-']).toString());
  for (const paragraph of PARAGRAPHS) {
    t.ok(text.includes(plain(paragraph)), `${paragraph}\n${text}`);
  }
  for (const word of MIXED.flatMap((line) => line.split(' '))) t.ok(text.includes(word), word);
});

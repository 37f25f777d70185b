import t from 'tap';
import { loadFonts } from '../font/library.ts';
import type { Finding } from '../job.ts';
import { checkTemplate } from './check-template.ts';
import { withPositions } from './positions.ts';

/** Drafts of 2 MB that are nothing but mistakes. */
const BYTES = 2_000_000;
/** Of this thread, for a whole check; most take under 1 s. */
const CPU_MS_MAX = 4_000;
/** One list of the compilation and one of the samples, each with its last line. */
const FINDINGS_MAX = 2 * 501;

const fonts = loadFonts(null).library;

/** Members or items, up to `BYTES` bytes together. */
function many(make: (index: number) => string, bytesMax = BYTES): string {
  const made: string[] = [];
  for (let index = 0, bytes = 0; bytes < bytesMax; index += 1) {
    const text = make(index);
    bytes += text.length + 1;
    made.push(text);
  }
  return made.join(',');
}

const FIELD = '"fields":[{"name":"a","type":"text"}]';
const FIELDS = `"fields":[${Array.from(
  { length: 500 },
  (_, index) => `{"name":"field_${index}","type":"text","required":true}`,
).join(',')}]`;
const EMPTY = '"document":{"content":[]}';
const content = (nodes: string, more = ''): string =>
  `${FIELD},"document":{"content":[${nodes}]${more}}`;

const DRAFTS: Readonly<Record<string, () => string>> = {
  'unknown keys in a sample': () =>
    `${FIELDS},${EMPTY},"samples":[{"data":{${many((n) => `"k${n}":0`)}}}]`,
  'samples without a required field': () =>
    `${FIELDS},${EMPTY},"samples":[${many(() => '{"data":{}}')}]`,
  'unknown keys in a node': () => content(`{"text":"x",${many((n) => `"margi${n}":0`)}}`),
  'nodes of no kind': () => content(many(() => '{"txet":1}')),
  'unknown styles': () => {
    const styles = many((n) => `"header${n}x":{}`, BYTES / 4);
    return content(
      many((n) => `{"text":"x","style":"heade${n}"}`),
      `,"styles":{${styles}}`,
    );
  },
  'unknown references': () => {
    const ids = many((n) => `{"text":"x","id":"header${n}x"}`, BYTES / 4);
    return content(`${ids},${many((n) => `{"text":"x","linkToDestination":"heade${n}"}`)}`);
  },
  'unknown table layouts': () => {
    const layouts = many((n) => `"lines${n}":{}`, BYTES / 4);
    const table = '"table":{"body":[["x"]]}';
    return content(
      many((n) => `{${table},"layout":"odd${n}"}`),
      `,"tableLayouts":{${layouts}}`,
    );
  },
};

for (const [name, make] of Object.entries(DRAFTS)) {
  t.test(`a check is bounded: ${name}`, async (t) => {
    const source = Buffer.from(`{"templateId":"x","name":"X",${make()}}`);
    const before = process.threadCpuUsage();
    const { findings } = await checkTemplate(source, { hash: 'x' }, fonts);
    const located = withPositions(source.toString(), findings);
    const { user, system } = process.threadCpuUsage(before);
    const cpuMs = (user + system) / 1000;
    t.ok(cpuMs < CPU_MS_MAX, `${cpuMs} ms for ${source.length} bytes`);
    t.ok(located.length > 500 && located.length <= FINDINGS_MAX, `${located.length} findings`);
    t.ok(
      findings.some(({ message }) => /^\d+ more findings are not listed/.test(message)),
      'the rest is counted',
    );
  });
}

t.test('positions take one pass, though the file is nothing but lines', (t) => {
  const members = Array.from({ length: 1_000 }, (_, index) => `"k${index}":0`);
  const text = `{${'\n'.repeat(BYTES)}${members.join(',\n')}}`;
  const findings = members.map((_, index): Finding => {
    return { severity: 'warning', path: `k${index}`, message: 'x' };
  });
  const before = process.threadCpuUsage();
  const located = withPositions(text, findings);
  const { user, system } = process.threadCpuUsage(before);
  t.ok((user + system) / 1000 < CPU_MS_MAX, `${(user + system) / 1000} ms`);
  t.match(located[0], { line: BYTES + 1, column: 1 });
  t.match(located.at(-1), { path: 'k999', line: BYTES + 1_000, column: 1 });
  t.end();
});

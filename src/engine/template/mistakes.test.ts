import t from 'tap';
import { LIMITS } from '../../limits.ts';
import { loadFonts } from '../font/library.ts';
import type { Finding } from '../job.ts';
import { checkTemplate } from '../values/check-template.ts';
import { listFields } from './fields/field-list.ts';
import { withPositions } from './source/positions.ts';
import { isWithin } from '../../../test/hostile/machine.ts';
import { plainSurroundings } from './fixtures.ts';

/** Drafts that are nothing but mistakes, as many as the limits of values allow. */
const VALUES = LIMITS.layoutValuesMax * 0.95;
/** Lines of a file without a value. */
const LINES = 2_000_000;
/** CPU time of this thread for a whole check; most take under 0.5 s. */
const CPU_MS_MAX = 2_000;
/** One list of the compilation and one of the samples, each with its last line. */
const FINDINGS_MAX = 2 * 501;

const surroundings = plainSurroundings(loadFonts(null).library);

/** Members or items of `valuesEach` values, up to `share` of all permitted values. */
function many(make: (index: number) => string, valuesEach: number, share = 1): string {
  const length = Math.floor((VALUES / valuesEach) * share);
  return Array.from({ length }, (_, index) => make(index)).join(',');
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
    `${FIELDS},${EMPTY},"samples":[{"data":{${many((n) => `"k${n}":0`, 1)}}}]`,
  'samples without a required field': () =>
    `${FIELDS},${EMPTY},"samples":[${many(() => '{"data":{}}', 2)}]`,
  'unknown keys in a node': () => content(`{"text":"x",${many((n) => `"margi${n}":0`, 1)}}`),
  'nodes of no kind': () => content(many(() => '{"txet":1}', 2)),
  'unknown styles': () => {
    const styles = many((n) => `"header${n}x":{}`, 1, 0.25);
    return content(
      many((n) => `{"text":"x","style":"heade${n}"}`, 3, 0.75),
      `,"styles":{${styles}}`,
    );
  },
  'unknown references': () => {
    const ids = many((n) => `{"text":"x","id":"header${n}x"}`, 3, 0.25);
    const links = many((n) => `{"text":"x","linkToDestination":"heade${n}"}`, 3, 0.75);
    return content(`${ids},${links}`);
  },
  'unknown table layouts': () => {
    const layouts = many((n) => `"lines${n}":{}`, 1, 0.25);
    const table = '"table":{"body":[["x"]]}';
    return content(
      many((n) => `{${table},"layout":"odd${n}"}`, 6, 0.75),
      `,"tableLayouts":{${layouts}}`,
    );
  },
};

for (const [name, make] of Object.entries(DRAFTS)) {
  t.test(`a check is bounded: ${name}`, async (t) => {
    const source = Buffer.from(`{"templateId":"x","name":"X",${make()}}`);
    const before = process.threadCpuUsage();
    const { findings } = await checkTemplate(source, { hash: 'x' }, surroundings);
    const located = withPositions(source.toString(), findings);
    const { user, system } = process.threadCpuUsage(before);
    const cpuMs = (user + system) / 1000;
    t.ok(isWithin(cpuMs, CPU_MS_MAX), `${cpuMs} ms for ${source.length} bytes`);
    t.ok(located.length > 500 && located.length <= FINDINGS_MAX, `${located.length} findings`);
    t.ok(
      findings.some(({ message }) => /^\d+ more findings are not listed/.test(message)),
      'the rest is counted',
    );
  });
}

const list = (values: number): string => `[${'0,'.repeat(values - 1)}0]`;

t.test('a file with too many values is refused without being checked', async (t) => {
  const refusals: readonly (readonly [string, string, string])[] = [
    [
      `"samples":[{"data":${list(LIMITS.templateValuesMax)}}]`,
      '',
      'The file holds more than 250000',
    ],
    [
      `"document":{"content":${list(LIMITS.layoutValuesMax)}}`,
      'document',
      'The document holds more',
    ],
    [`"text":"${',[{'.repeat(300_000)}\\","document":${list(90_000)}`, '', ''],
    [`"samples":[{"data":${list(249_000)}}],${EMPTY}`, '', ''],
  ];
  for (const [members, path, message] of refusals) {
    const source = Buffer.from(`{"templateId":"x","name":"X",${members}}`);
    const before = process.threadCpuUsage();
    const { template, findings } = await checkTemplate(source, { hash: 'x' }, surroundings);
    const { user, system } = process.threadCpuUsage(before);
    t.ok(isWithin((user + system) / 1000, CPU_MS_MAX), `${(user + system) / 1000} ms`);
    const refused = findings.filter((finding) => finding.message.includes('holds more than'));
    t.match(refused, message === '' ? [] : [{ path, message }]);
    t.equal(refused.length, message === '' ? 0 : 1);
    if (message !== '') t.equal(template, null);
  }
  const many = Buffer.from(`{"fields":[${'{},'.repeat(LIMITS.templateValuesMax)}{}]}`);
  t.equal(Buffer.from(listFields(many)).toString(), '[]', 'nor are its fields listed');
});

t.test('positions take one pass, even if the file is nothing but lines', (t) => {
  const members = Array.from({ length: 1_000 }, (_, index) => `"k${index}":0`);
  const text = `{${'\n'.repeat(LINES)}${members.join(',\n')}}`;
  const findings = members.map((_, index): Finding => {
    return { severity: 'warning', path: `k${index}`, message: 'x' };
  });
  const before = process.threadCpuUsage();
  const located = withPositions(text, findings);
  const { user, system } = process.threadCpuUsage(before);
  t.ok(isWithin((user + system) / 1000, CPU_MS_MAX), `${(user + system) / 1000} ms`);
  t.match(located[0], { line: LINES + 1, column: 1 });
  t.match(located.at(-1), { path: 'k999', line: LINES + 1_000, column: 1 });
  t.end();
});

import fc from 'fast-check';
import t from 'tap';
import type { Finding } from '../../job.ts';
import { memberPath } from '../vocabulary/findings.ts';
import { withPositions } from './positions.ts';

/** `line:column` of each path, in the order asked for. */
function placesOf(text: string, ...paths: readonly string[]): (string | null)[] {
  const findings = paths.map((path): Finding => ({ severity: 'error', path, message: path }));
  const placed = new Map(withPositions(text, findings).map((finding) => [finding.path, finding]));
  return paths.map((path) => {
    const { line, column } = placed.get(path) ?? {};
    return line === undefined ? null : `${line}:${column}`;
  });
}

const FILE = `{
  "templateId": "x",
  "document": {
    "content": [
      "a \\" ] } quote", {"text":"b",
        "margin": [1,-2.5e3, true]},
      { "odd \\"key\\"": { "é": null }, "text": [[], {"x": 1}] }
    ]
  }
}`;

t.test('members are found at their key, elements at their value', async (t) => {
  t.same(
    placesOf(
      FILE,
      'templateId',
      'document.content',
      'document.content[0]',
      'document.content[1]',
      'document.content[1].margin[2]',
      'document.content[2]["odd \\"key\\""]["é"]',
      'document.content[2].text[1].x',
    ),
    ['2:3', '4:5', '5:7', '5:25', '6:30', '7:26', '7:53'],
  );
});

t.test('a missing thing has the position of the nearest thing around it', async (t) => {
  t.same(placesOf(FILE, 'document.content[2].qr.fit', 'document.styles', 'nothing', ''), [
    '7:7',
    '3:3',
    null,
    null,
  ]);
});

t.test('if a key occurs twice, the last one counts, as in JSON.parse', async (t) => {
  t.same(placesOf('{"a": 1,\n"a": 2}', 'a'), ['2:1']);
});

t.test('findings come in the order of the file', async (t) => {
  const findings = ['b', 'a.c', 'a', ''].map((path): Finding => ({
    severity: 'error',
    path,
    message: '',
  }));
  const placed = withPositions('{"a": {"c": 1}, "b": 2}', findings);
  t.same(
    placed.map(({ path }) => path),
    ['', 'a', 'a.c', 'b'],
  );
});

interface Met {
  readonly path: string;
  readonly value: unknown;
}

function walk(value: unknown, path: string, met: Met[]): void {
  if (path !== '') met.push({ path, value });
  if (Array.isArray(value)) {
    value.forEach((item, index) => walk(item, `${path}[${index}]`, met));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) walk(member, memberPath(path, key), met);
  }
}

t.test('in any JSON, each position is that of the value at its path', async () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const met: Met[] = [];
      walk(value, '', met);
      // A path names one value only where no key is cut or empty.
      const paths = met.filter(({ path }) => !path.includes('…'));
      const findings = paths.map(({ path }): Finding => ({
        severity: 'error',
        path,
        message: path,
      }));
      const lines = text.split('\n');
      const placed = withPositions(text, findings);
      return placed.every(({ path, line = 0, column = 0 }) => {
        const rest = [(lines[line - 1] ?? '').slice(column - 1), ...lines.slice(line)].join('\n');
        const expected = paths.find((one) => one.path === path)?.value;
        const isElement = /\[\d+\]$/.test(path);
        const own = isElement ? rest : rest.replace(/^"(?:[^"\\]|\\.)*"\s*:\s*/, '');
        return own.replaceAll(/\s/g, '').startsWith(JSON.stringify(expected).replaceAll(/\s/g, ''));
      });
    }),
  );
});

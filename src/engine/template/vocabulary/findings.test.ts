import t from 'tap';
import { compileTemplate } from '../compile.ts';
import { checkTemplate } from '../../values/check-template.ts';
import { compileFile, FIELDS, findingsOf, plainSurroundings } from '../fixtures.ts';
import { suggestion } from '../../../runtime/nearest.ts';
import { loadFonts } from '../../font/library.ts';

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Name, content, the path of the finding, and its message. */
const CASES: readonly (readonly [string, unknown, string, RegExp])[] = [
  ['an unknown key', { text: 'x', fontsize: 3 }, 'document.content[0].fontsize', /"fontSize"\?/],
  ['a wrong value', { text: 'x', margin: [1, 2, 3] }, 'document.content[0].margin', /\[left, top/],
  ['a wrong colour', { text: 'x', color: 'redd' }, 'document.content[0].color', /must be a colour/],
  ['an undeclared field', '{{customr}}', 'document.content[0]', /no field "customr"/],
  ['a near name', '{{numbr}}', 'document.content[0]', /did you mean "number"\?/],
  ['a table in a text', '{{table}}', 'document.content[0]', /of type table/],
  ['an open placeholder', 'x {{text', 'document.content[0]', /no "\}\}"/],
  ['a page number in the body', '{{page}}', 'document.content[0]', /header, footer/],
  ['a cell outside each', { text: ['a', '{{0}}'] }, 'document.content[0].text[1]', /needs "each"/],
  ['each over a text field', { each: 'text', text: '' }, 'document.content[0].each', /needs table/],
  [
    'a condition on an unknown field',
    { if: 'nope', text: '' },
    'document.content[0].if',
    /no field/,
  ],
  ['no kind', { bold: true }, 'document.content[0]', /none of/],
  ['two kinds', { text: '', image: 'x' }, 'document.content[0]', /one thing/],
  ['an unknown font', { text: 'x', font: 'Robotto' }, 'document.content[0].text', /"Roboto"\?/],
  ['an unknown image', { image: 'logo' }, 'document.content[0].image', /no image "logo"/],
  ['a remote image', { image: 'https://x/y.png' }, 'document.content[0].image', /Remote images/],
  [
    'a broken image',
    { image: 'data:image/png;base64,AAAA' },
    'document.content[0].image',
    /cannot be/,
  ],
  ['an image of a wrong field', { image: '{{text}}' }, 'document.content[0].image', /needs image/],
  ['broken svg', { svg: '<svg><a' }, 'document.content[0].svg', /cannot be used/],
  ['bound svg markup', { svg: '<svg>{{text}}</svg>' }, 'document.content[0].svg', /placeholders/],
  ['a script link', { text: 'x', link: 'javascript:1' }, 'document.content[0].link', /https/],
  [
    'a reference without target',
    { text: '', pageReference: 'x' },
    'document.content[0].pageReference',
    /no node with the id "x"/,
  ],
  [
    'a turn of the page inside a stack',
    [[{ text: '', pageBreak: 'before', pageOrientation: 'landscape' }]],
    'document.content[0][0][0].pageOrientation',
    /directly in content/,
  ],
  [
    'a section inside a stack',
    { stack: [{ section: 'x' }] },
    'document.content[0].stack[0]',
    /directly in content/,
  ],
  [
    'an unknown vector',
    { canvas: [{ type: 'rectangle' }] },
    'document.content[0].canvas[0].type',
    /one of/,
  ],
  [
    'a reversed list of unknown length',
    { ol: [{ each: 'table', text: '{{0}}' }], reversed: true },
    'document.content[0].ol',
    /start/,
  ],
  [
    'a text too long for its QR code',
    { qr: 'x'.repeat(100), version: 1 },
    'document.content[0].qr',
    /does not fit/,
  ],
];

for (const [name, node, path, message] of CASES) {
  t.test(`${name} is found`, async (t) => {
    const findings = await findingsOf({ content: [node] });
    const errors = findings.filter(({ severity }) => severity === 'error');
    t.match(errors, [{ path, message }]);
    t.equal(errors.length, 1, JSON.stringify(errors));
  });
}

const row = (...cells: unknown[]): unknown[] => cells;

const TABLES: readonly (readonly [string, object, string, RegExp])[] = [
  ['a short row', { body: [row('a', 'b'), row('c')] }, 'body[1]', /1 cells, the table has 2/],
  ['a long row', { body: [row('a', 'b'), row('c', 'd', 'e')] }, 'body[1]', /3 cells/],
  ['too few widths', { widths: [1], body: [row('a', 'b')] }, 'widths', /1 entries/],
  [
    'a wide span',
    { body: [row({ text: 'a', colSpan: 3 }, 'b')] },
    'body[0][0].colSpan',
    /2 columns/,
  ],
  ['a deep span', { body: [row({ text: 'a', rowSpan: 2 })] }, 'body[0][0].rowSpan', /1 rows/],
  ['no rows', { body: [] }, 'body', /one row at least/],
  ['too many header rows', { headerRows: 2, body: [row('a')] }, 'headerRows', /1 rows only/],
  [
    'a repeated cell',
    { body: [row({ text: 'x', each: 'table' })] },
    'body[0][0].each',
    /on the row/,
  ],
  ['a row that is not an array', { body: ['a'] }, 'body[0]', /array of cells/],
  [
    'a span into a repeated row',
    { body: [row({ text: 'a', rowSpan: 2 }, 'b'), { each: 'table', cells: ['', 'c'] }] },
    'body[1]',
    /rowSpan from above/,
  ],
  ['an invalid width', { widths: ['10x'], body: [row('a')] }, 'widths', /"auto"/],
  ['widths beyond the paper', { widths: [600], body: [row('a')] }, 'widths', /take .* away/],
];

for (const [name, table, at, message] of TABLES) {
  t.test(`${name} in a table is found`, async (t) => {
    const findings = await findingsOf({ content: [{ table }] });
    const error = findings.find(({ severity }) => severity === 'error');
    t.match(error, { path: `document.content[0].table.${at}`, message });
  });
}

t.test('all faults are found at once, in all parts of the file', async (t) => {
  const { template, findings } = await compileFile({
    templateId: 'x',
    nmae: 'x',
    fields: [
      { name: 'a', type: 'texxt' },
      { name: 'b', type: 'text' },
      { name: 'b', type: 'number' },
      { name: 'c', type: 'date', format: { pattern: 'Q' } },
      { name: 'd', type: 'text', validation: { pattern: '(?=x)' } },
    ],
    document: {
      pageSize: 'A44',
      header: { text: '{{nope}}' },
      content: [{ text: 'x', font: 'no' }],
      images: { a: 'https://x.example/a.png' },
      tableLayouts: { l: { hLineWidht: 1 } },
    },
    samples: [{ name: 'no data' }],
  });
  t.equal(template, null);
  const paths = new Set(findings.map(({ path }) => path));
  for (const path of [
    'nmae',
    'fields[0].type',
    'samples[0]',
    'document.pageSize',
    'document.header.text',
    'document.content[0].text',
    'document.images.a',
    'document.tableLayouts.l.hLineWidht',
  ]) {
    t.ok(paths.has(path), `${path} among ${[...paths].join(' ')}`);
  }
  t.ok(findings.some(({ message }) => message.includes('declared twice')));
  t.ok([...paths].some((path) => path.endsWith('validation.pattern')));
  t.ok([...paths].some((path) => path.endsWith('format.pattern')));
});

/** Every finding of a file, as one line. */
async function messagesOf(file: object): Promise<string[]> {
  const { findings } = await compileFile({ templateId: 'x', fields: [], ...file });
  return findings.map(({ path, message }) => `${path}: ${message}`);
}

t.test('missing or mistyped keys beside the content are findings', async (t) => {
  const header = { frist: 'x' };
  t.match(await messagesOf({ document: { header, content: 'x' } }), [
    /^document\.header\.frist: .*did you mean "first"\?/,
  ]);
  t.same(await messagesOf({}), ['document: is missing; it must be an object.']);
  t.match(await messagesOf({ document: {} }), [/^document\.content: A document needs/]);
});

t.test('questionable templates get warnings and compile', async (t) => {
  const { template, findings } = await compileFile({
    templateId: 'x',
    fields: [{ name: 'unused', type: 'text', required: true }],
    document: {
      info: { producer: 'x' },
      header: { rest: 'x' },
      content: [
        { columns: [{ width: 530, text: 'wide' }] },
        { text: ['a', { text: 'b', margin: 3 }] },
        '🙂',
        { text: 'x', style: 'h1' },
        { text: 'x', style: ['', 'h2'], link: 'www.example' },
      ],
    },
  });
  t.not(template, null);
  t.match(
    new Set(findings.map(({ severity, path }) => `${severity} ${path}`)),
    new Set([
      'warning document.info.producer',
      'warning document.header',
      'warning document.content[0].columns',
      'warning document.content[1].text[1].margin',
      'warning fields[0]',
      'warning document.content[2]',
      'warning document.content[3].style',
      'warning document.content[4].style[1]',
      'warning document.content[4].link',
    ]),
  );
});

t.test('an invalid sort language is found', async (t) => {
  const content = [
    { toc: { sortBy: 'title', sortLocale: 'th_TH!' } },
    { text: 'a', tocItem: true },
  ];
  t.match(await findingsOf({ content }), [
    { path: 'document.content[0].toc.sortLocale', message: /language tag/ },
  ]);
});

t.test('missingGlyph decides whether an undrawable character stops the template', async (t) => {
  const document = { content: 'a 🙂' };
  t.strictSame(await findingsOf(document, { missingGlyph: 'notdef' }), [], 'boxes are wanted');
  const [finding] = await findingsOf(document, { missingGlyph: 'reject' });
  t.match(finding, { severity: 'error', path: 'document.content', message: /U\+1F642/ });
});

t.test('the finding of a file that is not JSON says where', async (t) => {
  const fonts = loadFonts(null).library;
  const find = async (text: string): Promise<string> => {
    const source = new TextEncoder().encode(text);
    const { findings } = await compileTemplate(source, { hash: 'x' }, plainSurroundings(fonts));
    return findings[0]?.message ?? '';
  };
  t.match(await find('{\n  "a": ]'), /not JSON \(line 2, column 8\)/);
  t.match(await find('{"a": [1, 2,], "b": 1}'), /line 1, column 13/);
  t.match(await find('{"a": {"b": "c" "d"}}'), /line 1, column 17/);
  t.match(await find('{"a": 01}'), /line 1, column 8/);
  t.match(await find('{"a": "x'), /line 1, column 7/);
  t.match(await find('{} {}'), /line 1, column 4/);
  t.match(await find('[]'), /JSON object/);
  t.match(await find(''), /^The file is empty/);
});

t.test('samples are checked against the contract', async (t) => {
  const file = {
    templateId: 'x',
    fields: [{ name: 'n', type: 'number', required: true }],
    document: { content: '{{n}}' },
    samples: [
      { name: 'good', data: { n: 1 } },
      { name: 'bad', data: { n: 'x', m: 1 } },
    ],
  };
  const source = new TextEncoder().encode(JSON.stringify(file));
  const { template, findings } = await checkTemplate(
    source,
    { hash: 'x' },
    plainSurroundings(loadFonts(null).library),
  );
  t.not(template, null);
  t.match(findings, [
    { severity: 'error', path: 'samples[1].data.n', message: /number expected/ },
    { severity: 'warning', path: 'samples[1].data.m' },
  ]);
});

t.test('samples are checked against the contract when the layout has errors, too', async (t) => {
  const check = async (more: object) => {
    const file = {
      templateId: 'x',
      fields: [{ name: 'n', type: 'number', required: true }],
      document: { content: [{ txt: '{{n}}' }, '{{nope}}'] },
      samples: [{ name: 'no data' }, { name: 'bad', data: { n: 'x', m: 1 } }],
      ...more,
    };
    const source = new TextEncoder().encode(JSON.stringify(file));
    const library = plainSurroundings(loadFonts(null).library);
    const { template, samples, findings } = await checkTemplate(source, { hash: 'x' }, library);
    t.equal(template, null);
    t.same(samples, [], 'none can be rendered');
    return findings.filter(({ path }) => path.startsWith('samples'));
  };
  const found = [
    { severity: 'error', path: 'samples[0]', message: /needs "data"/ },
    { severity: 'error', path: 'samples[1].data.n', message: /number expected/ },
    { severity: 'warning', path: 'samples[1].data.m' },
  ];
  t.match(await check({}), found);
  t.match(await check({ document: 'no layout' }), found);
  const faulty = { fields: [{ name: 'n', type: 'number', validation: { min: 'x' } }] };
  t.match(await check(faulty), [{ path: 'samples[0]' }], 'not by fields that have an error');
});

t.test('nesting is bounded', async (t) => {
  let node: unknown = 'x';
  for (let depth = 0; depth < 200; depth += 1) node = { stack: [node] };
  const findings = await findingsOf({ content: node });
  t.match(findings, [{ severity: 'error', message: /more than 64 deep/ }]);
});

t.test('a file of any depth is read, and long names do not make long findings', async (t) => {
  const library = loadFonts(null).library;
  const check = async (text: string) =>
    (await checkTemplate(Buffer.from(text), { hash: 'x' }, plainSurroundings(library))).findings;
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const nested = `${open.repeat(100_000)}1${close.repeat(100_000)}`;
    for (const text of [nested, `{"templateId":${nested}}`, `{"document":{"a":${nested}}}`]) {
      t.match(await check(text), [{ severity: 'error', path: '', message: /than 500 levels/ }]);
    }
  }
  const name = 'k'.repeat(100_000);
  const styles = Array.from({ length: 300 }, (_, index) => `"a${index}":1`).join(',');
  const found = await check(
    `{"templateId":"x","document":{"content":[],"styles":{"${name}":{${styles}}}}}`,
  );
  t.ok(found.length > 100 && JSON.stringify(found).length < 200_000);
});

/** A whole file's findings as `severity path`. */
async function foundIn(file: object): Promise<readonly string[]> {
  const { findings } = await compileFile({ templateId: 'x', ...file });
  return findings.map(({ severity, path }) => `${severity} ${path}`);
}

/** A document of one table of three columns. */
function tableOf(...rows: unknown[]): object {
  return { content: { table: { widths: [9, 9, 9], body: rows } } };
}

t.test('a fault that follows from another is not reported', async (t) => {
  const fields = ['a', 'b', 'c'].map((name) => ({ name, type: 'text' }));
  const images = { logo: PIXEL };
  const cases: readonly (readonly [string, object, readonly string[]])[] = [
    [
      'a row with a cell too few whose last cell is covered',
      { fields, document: tableOf(['{{a}}', '{{b}}', ''], [{ text: '', colSpan: 2 }, '{{c}}']) },
      ['error document.content.table.body[1]'],
    ],
    [
      'a covered cell in a row of the right length',
      {
        fields,
        document: tableOf(['{{a}}', '{{b}}', ''], [{ text: '', colSpan: 2 }, '{{c}}', '']),
      },
      ['warning document.content.table.body[1][1]'],
    ],
    [
      'a mistyped field',
      { fields: [{ name: 'customer', type: 'text' }], document: { content: '{{custommer}}' } },
      ['error document.content'],
    ],
    [
      'a field of an unknown type',
      { fields: [{ name: 'a', type: 'txt' }], document: { content: '{{a}}' } },
      ['error fields[0].type'],
    ],
    [
      'a node of no kind, with a field, an image and an id',
      {
        fields,
        document: {
          images,
          content: [
            { stak: [{ image: 'logo' }, { text: '{{a}}', id: 'here' }] },
            { if: 'b', text: '{{c}}', pageReference: 'here' },
          ],
        },
      },
      ['error document.content[0]'],
    ],
    [
      'a mistyped image',
      { document: { images, content: { image: 'logoo' } } },
      ['error document.content.image'],
    ],
    ['no document', { fields }, ['error document']],
    [
      'content of a wrong type',
      { fields: [], document: { content: { table: { body: 'x' } } } },
      ['error document.content.table.body'],
    ],
    [
      'a statement with a wrong column',
      {
        fields: [{ name: 't', type: 'table' }],
        document: { content: { table: { body: [['']], statement: { each: 't', credit: 'x' } } } },
      },
      ['error document.content.table.statement.credit'],
    ],
  ];
  for (const [name, file, expected] of cases) t.same(await foundIn(file), expected, name);
});

t.test('a bound field of each type that no node uses is a warning', async (t) => {
  const { findings } = await compileFile({
    templateId: 'x',
    fields: FIELDS,
    document: { content: '{{text}}' },
  });
  t.same(
    findings.map(({ path }) => path),
    [1, 2, 3, 4, 5, 6].map((index) => `fields[${index}]`),
  );
});

t.test('suggests only words that are near', (t) => {
  t.match(suggestion('widht', ['width', 'height']), /"width"/);
  t.equal(suggestion('zzzz', ['width', 'height']), '');
  t.end();
});

t.test('fonts with different features are bounded: each keeps a megabyte', async (t) => {
  const content = Array.from({ length: 1_000 }, (_, index) => ({
    text: 'a',
    fontFeatures: { ss01: index },
  }));
  t.same(await findingsOf({ content: content.slice(0, 32) }), []);
  t.match(await findingsOf({ content }), [
    { severity: 'error', path: 'document.content[32]', message: /more than 32 fonts/ },
  ]);
});

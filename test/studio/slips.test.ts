import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t from 'tap';
import { repeatedWords, slipWords } from '../../src/runtime/json-slips/words.ts';
import { findSlip, repeatedSlips } from '../../src/runtime/json-slips/find.ts';
import { HOME } from '../../src/settings/config.ts';
import type { SlipCause } from '../../src/runtime/json-slips/slip.ts';
import { untold } from '../../studio/src/editor/untold.ts';
import { editorEn } from '../../studio/src/i18n/editor-en.ts';

/** The text with the fix of its first slip; as it is when there is none. */
function mended(text: string): string {
  const fix = findSlip(text)?.fix ?? null;
  return fix === null ? text : text.slice(0, fix.from) + fix.insert + text.slice(fix.to);
}

const NODES =
  '{\n  "content": [\n    { "text": "a" },\n    { "text": "b" }\n  ],\n  "footer": [1]\n}';
const STYLE = '{\n  "style": {\n    "size": 9,\n    "bold": true\n  },\n  "content": []\n}';
const BINDING = '[\n  { "text": "Dear {{customer}}" },\n  { "text": "b" }\n]';
const TABLE = '{\n  "body": [\n    [\n      1\n    ]\n  ]\n}';

const QUOTED =
  '{\n  "content": [\n    { "text": "TAX", "style": "small" },\n    {\n      "eccLevel": "M",\n      "qr": "{{no}}"\n    }\n  ]\n}';

/** What people type, why it is not JSON, and what one click makes of it. */
const SLIPS: readonly (readonly [what: string, typed: string, cause: SlipCause, made: string])[] = [
  [
    'a comma missing between lines',
    '{\n  "a": 1\n  "b": 2\n}',
    'comma_missing',
    '{\n  "a": 1,\n  "b": 2\n}',
  ],
  ['a comma missing in a list', '["a" "b"]', 'comma_missing', '["a", "b"]'],
  [
    'a comma missing between nodes',
    '[{ "a": 1 }\n{ "b": 2 }]',
    'comma_missing',
    '[{ "a": 1 },\n{ "b": 2 }]',
  ],
  ['a comma after the last member', '{ "a": 1, }', 'comma_trailing', '{ "a": 1 }'],
  ['a comma after the last item', '[1, 2,\n]', 'comma_trailing', '[1, 2\n]'],
  ['a comma too many', '[1,, 2]', 'comma_extra', '[1, 2]'],
  ['single quotes', `{ "a": 'it "is"' }`, 'quotes_single', '{ "a": "it \\"is\\"" }'],
  ['a key in single quotes', `{ 'a': 1 }`, 'quotes_single', '{ "a": 1 }'],
  ['smart quotes', '{ “a”: 1 }', 'quotes_smart', '{ "a": 1 }'],
  ['a smart quote at the end', '{ "a": "words”\n}', 'quotes_smart', '{ "a": "words"\n}'],
  ['a comment to the end of the line', '{ "a": 1 // one\n}', 'comment', '{ "a": 1 \n}'],
  ['a comment in signs', '{ /* one */ "a": 1 }', 'comment', '{  "a": 1 }'],
  ['a comment as in Python', '# one\n{ "a": 1 }', 'comment', '\n{ "a": 1 }'],
  ['a key without quotes', '{ fontSize: 9 }', 'key_unquoted', '{ "fontSize": 9 }'],
  ['a Thai key without quotes', '{ ชื่อ: 9 }', 'key_unquoted', '{ "ชื่อ": 9 }'],
  ['a brace missing at the end', '{ "a": [1, { "b": 2', 'unclosed', '{ "a": [1, { "b": 2}]}'],
  ['a brace missing inside', '[{ "a": 1 ]', 'bracket_unclosed', '[{ "a": 1 } ]'],
  [
    'a brace missing before a node',
    '[{ "a": 1,\n{ "b": 2 }]',
    'bracket_unclosed',
    '[{ "a": 1 },\n{ "b": 2 }]',
  ],
  ['a bracket for a brace', '{ "a": 1 ]', 'bracket_wrong', '{ "a": 1 }'],
  ['NaN', '{ "a": NaN }', 'nan', '{ "a": null }'],
  ['a negative infinity', '[-Infinity]', 'nan', '[null]'],
  ['a tab in a string', '{ "a": "1\t2" }', 'tab', '{ "a": "1\\t2" }'],
  ['a line break in a string', '{ "a": "one\n  two" }', 'line_break', '{ "a": "one\\ntwo" }'],
  ['a key twice', '{ "a": 1, "b": 2, "a": 3 }', 'key_repeated', '{ "b": 2, "a": 3 }'],
  ['a byte order mark', '\uFEFF{ "a": 1 }', 'bom', '{ "a": 1 }'],
  ['a size with a unit', '{ "a": 20pt }', 'number_unit', '{ "a": 20 }'],
  ['a length in millimetres', '{ "a": -10 mm, "b": 1 }', 'number_unit', '{ "a": -28.35, "b": 1 }'],
  ['True of Python', '{ "a": True }', 'true_false', '{ "a": true }'],
  ['None of Python', '[None]', 'none', '[null]'],
  ['undefined', '{ "a": undefined }', 'none', '{ "a": null }'],
  ['a colon missing', '{ "a" 1 }', 'colon_missing', '{ "a": 1 }'],
  ['an equals sign', '{ "a" = 1 }', 'sign', '{ "a" : 1 }'],
  ['a semicolon', '{ "a": 1; "b": 2 }', 'sign', '{ "a": 1, "b": 2 }'],
  [
    'a quotation mark among the words',
    '{ "a": "say "hi" now", "b": 1 }',
    'quote_inside',
    '{ "a": "say \\"hi\\" now", "b": 1 }',
  ],
  [
    'a quotation mark missing',
    '{\n  "a": "one,\n  "b": 2\n}',
    'quote_missing',
    '{\n  "a": "one",\n  "b": 2\n}',
  ],
  [
    'a quotation mark missing at the end of a node',
    '[{ "a": "Keep this. },\n  { "a": "more" }]',
    'quote_missing',
    '[{ "a": "Keep this." },\n  { "a": "more" }]',
  ],
  [
    'a quotation mark missing before another key',
    '{ "a": "one, "b": "two" }',
    'quote_missing',
    '{ "a": "one", "b": "two" }',
  ],
  [
    'a quotation mark missing behind a key',
    '{ "a: true, "b": 2 }',
    'quote_missing',
    '{ "a": true, "b": 2 }',
  ],
  [
    'a quotation mark missing behind a key of a colour',
    '{ "a: "#123456", "b": 2 }',
    'quote_missing',
    '{ "a": "#123456", "b": 2 }',
  ],
  [
    'a quotation mark missing in a list',
    '["head, "number"]',
    'quote_missing',
    '["head", "number"]',
  ],
  ...(
    [
      ['after a text', '"small" }', '"small"" }'],
      ['after a text and a blank', '"small" }', '"small" "}'],
      ['before a text', '"small"', '""small"'],
      ['after a key', '"text":', '"text"":'],
      ['after a text that a comma follows', '"TAX",', '"TAX"",'],
      ['after the comma of a line', '"M",\n', '"M","\n'],
      ['twice after the comma of a line', '"M",\n', '"M",""\n'],
      ['after a binding', '{{no}}"', '{{no}}""'],
    ] as const
  ).map(
    ([where, part, typed]) =>
      [
        `a quotation mark too many ${where}`,
        QUOTED.replace(part, typed),
        'quote_extra' as const,
        QUOTED,
      ] as const,
  ),
  ['a backslash of Windows', '["C:\\data"]', 'escape', '["C:\\\\data"]'],
  ['leading zeros', '{ "a": 0012 }', 'number_zeros', '{ "a": "0012" }'],
  ['a plus sign', '[+1.50]', 'number', '[1.5]'],
  ['no digit before the point', '[.5]', 'number', '[0.5]'],
  ['words without quotes', '["a", Dear customer]', 'text_unquoted', '["a", "Dear customer"]'],
  ['a comma for decimals', '{ "a": 54,5, "b": 1 }', 'number_comma', '{ "a": 54.5, "b": 1 }'],
  ['a comma for decimals at the end', '{ "a": 0,5\n}', 'number_comma', '{ "a": 0.5\n}'],
  ['commas for millions', '{ "a": 1,200,000 }', 'number_comma', '{ "a": 1200000 }'],
  ['a comma for thousands', '{ "a": -1,200.50 }', 'number_comma', '{ "a": -1200.50 }'],
  ['a brace too many', '{ "a": 1 }}', 'bracket_extra', '{ "a": 1 }'],
  ...(
    [
      ['a line that closes a list missing', NODES, '\n  ],\n', '\n', 'bracket_unclosed'],
      ['a bracket and its comma missing', NODES, '\n  ],\n', ',\n', 'bracket_unclosed'],
      ['a bracket of a list missing', NODES, '  ],', '  ,', 'bracket_unclosed'],
      ['a bracket twice', NODES, '],', ']],', 'bracket_extra'],
      ['a line that closes a list twice', NODES, '  ],\n', '  ],\n  ],\n', 'bracket_extra'],
      ['a brace twice in a node', NODES, '"a" },', '"a" }},', 'bracket_extra'],
      [
        'an opening brace twice in a node',
        NODES,
        '{ "text": "a"',
        '{{ "text": "a"',
        'bracket_extra',
      ],
      ['an opening bracket twice', NODES, '[\n', '[[\n', 'bracket_extra'],
      [
        'a brace missing that opens a node',
        NODES,
        '{ "text": "a"',
        '"text": "a"',
        'bracket_unopened',
      ],
      ['a brace missing that ends a node', NODES, '"a" },', '"a" ,', 'bracket_unclosed'],
      ['an opening bracket missing', NODES, '"content": [', '"content":', 'bracket_unopened'],
      ['an opening bracket missing on a line', NODES, '[1]', '1]', 'bracket_unopened'],
      ['a brace for a bracket that opens', NODES, '"content": [', '"content": {', 'bracket_wrong'],
      ['a brace for a bracket that closes', NODES, '  ],', '  },', 'bracket_wrong'],
      ['a line that closes an object missing', STYLE, '\n  },\n', '\n', 'bracket_unclosed'],
      ['an object that is not closed', STYLE, '\n  },\n', ',\n', 'bracket_unclosed'],
      [
        'an opening brace missing behind a key',
        STYLE,
        '"style": {',
        '"style":',
        'bracket_unopened',
      ],
      ['a brace twice behind a key', STYLE, '"style": {', '"style": {{', 'bracket_extra'],
      ['a line that closes an object twice', STYLE, '  },\n', '  },\n  },\n', 'bracket_extra'],
      ['a bracket for a brace that closes', STYLE, '  },', '  ],', 'bracket_wrong'],
      ['the inner list not closed', TABLE, '    ]\n', '', 'bracket_unclosed'],
      ['the inner list not opened', TABLE, '    [\n', '', 'bracket_unopened'],
      ['the outer list not closed', TABLE, '\n  ]', '', 'bracket_unclosed'],
      ['a mark missing behind a binding', BINDING, '}}"', '}}', 'quote_missing'],
      ['a mark missing before a binding', BINDING, '"Dear', 'Dear', 'quote_before'],
      ['a mark missing before a key', NODES, '"footer"', 'footer"', 'quote_before'],
    ] as const
  ).map(
    ([what, whole, part, typed, cause]) =>
      [what, whole.replace(part, typed), cause, whole] as const,
  ),
  ['a space that does not break', '{\u00A0"a": 1 }', 'blank', '{ "a": 1 }'],
];

for (const [what, typed, cause, made] of SLIPS) {
  t.test(`${what} is named by its cause, and one click mends it`, async (t) => {
    const found = findSlip(typed);
    t.equal(found?.cause, cause);
    t.ok(`slip.${cause}` in editorEn);
    // Where lines lack a bracket, blanks may differ.
    t.strictSame(JSON.parse(mended(typed)), JSON.parse(made));
    if (!cause.startsWith('bracket')) t.equal(mended(typed), made);
  });
}

/** The line that the message about a text names. */
function lineOf(text: string): number {
  return text.slice(0, findSlip(text)?.from).split('\n').length;
}

t.test(
  'a bracket is named by the line where it opens, and not by where reading stops',
  async (t) => {
    t.equal(lineOf(NODES.replace('\n  ],\n', '\n')), 2);
    t.equal(lineOf(NODES.replace('  ],\n', '  ],\n  ],\n')), 6);
    t.equal(lineOf(STYLE.replace('\n  },\n', '\n')), 2);
    // Two slips: which bracket is meant is told, and nothing is proposed that is no JSON.
    const two = NODES.replace('\n  ],\n', '\n').replace('[1]', '[1');
    t.match(findSlip(two), { cause: 'bracket_unclosed', fix: null });
    t.equal(lineOf(two), 2);
  },
);

t.test('no mend changes a binding or makes two objects one', (t) => {
  const typed = BINDING.replace('}}"', '}}');
  t.equal(mended(typed), BINDING);
  t.equal(mended(typed.replace('}} }', '}}}')), BINDING.replace('" }', '"}'));
  t.equal(mended('["{{a}}, {{b}}]'), '["{{a}}, {{b}}"]');
  t.equal(mended('["see [1]]'), '["see [1]"]', 'the place is that of which the text is JSON');
  for (const name of ['receipt.json', 'statement.json', 'contract.json']) {
    const text = readFileSync(join(HOME, 'templates', name), 'utf8');
    const whole = JSON.parse(text) as unknown;
    const lines = text.split('\n');
    const brackets = lines.flatMap((line, index) => (/^\s*[[\]{}],?$/.test(line) ? [index] : []));
    const inside = brackets.filter((index) => index > 0 && index < lines.length - 2);
    const tried = inside.flatMap((index) => [
      lines.toSpliced(index, 1).join('\n'),
      lines.toSpliced(index, 0, lines[index] ?? '').join('\n'),
    ]);
    const wrong = tried.filter(
      (one) => !isJson(mended(one)) || !isDeepStrictEqual(JSON.parse(mended(one)), whole),
    );
    t.equal(
      wrong.length,
      0,
      `${name}: a line with a bracket is put back or taken away ${tried.length} times`,
    );
  }
  t.end();
});

t.test('a value that is missing is not invented', async (t) => {
  for (const typed of [
    '{ "text": , "role": "h1" }',
    '{ "text": }',
    '{ "text" }',
    '{ "text", "role": "h1" }',
    '{ "text":',
    '{ "text"',
  ]) {
    t.match(findSlip(typed), { cause: 'value_missing', fix: null }, typed);
  }
  const said = slipWords({ cause: 'value_missing', sign: '', missing: null });
  t.match(said, /write a text in quotation marks, a number, true, false or null/);
  // A slip before it is mended all the same.
  t.equal(mended(`{ 'a': 1, "b": }`), '{ "a": 1, "b": }');
});

t.test('a comma that may separate thousands or decimals is left to the person', async (t) => {
  const found = findSlip('{ "width": 1,200, "height": 2 }');
  t.match(found, { cause: 'number_either', from: 11, to: 16, fix: null });
  t.match(found === null ? '' : slipWords(found), /write 1200 if .*, or 1\.2 if/);
  t.match(findSlip('{ "width": 12,34,5 }'), { cause: 'number', sign: '12,34,5', fix: null });
  t.match(findSlip('{ "width": 1, 2: 3 }'), { cause: 'key_unquoted' }, 'a key that is a number');
  t.match(findSlip('{ "a": 1,b: 3 }'), { cause: 'key_unquoted' });
});

t.test('what only the person can know has no fix', async (t) => {
  t.match(findSlip('{ "a": 1 } and more'), { cause: 'text_after', fix: null });
  t.match(findSlip('{ "a": @ }'), { cause: 'text_unquoted' });
  // A letter that strays after a value: quotation marks around more would print the next key.
  for (const typed of [
    '{ "a": "one"x, "style": "b" }',
    '{ "a": "one" x, "alt": "" }',
    '{ "a": 90 x }',
  ]) {
    t.match(findSlip(typed), { cause: 'unknown', from: typed.indexOf('x'), fix: null }, typed);
  }
  t.match(findSlip('{ "a": "a "b", c", "d": 1 }'), { cause: 'quote_inside' });
  t.match(findSlip('[1 true]'), { cause: 'comma_missing' });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Whether a text is said to be JSON exactly when it is. */
function agrees(text: string): boolean {
  const found = findSlip(text);
  const isSaid = found === null || found.cause === 'key_repeated';
  return isSaid === isJson(text);
}

t.test('a text is JSON exactly when it has no slip', async () => {
  fc.assert(fc.property(fc.json(), agrees), { numRuns: 300 });
  fc.assert(fc.property(fc.string(), agrees), { numRuns: 300 });
  const sign = fc.constantFrom(...'{}[]:,"\\\'“”# \n\t01-+.eatrufNé/*'.split(''), 'true', '"a"');
  const anything = fc.array(sign, { maxLength: 12 }).map((signs) => signs.join(''));
  fc.assert(fc.property(anything, agrees), { numRuns: 3_000 });
});

t.test(
  'one slip put anywhere into a template is mended in a few clicks, or said to be unknown',
  async () => {
    const template = JSON.stringify(
      { name: 'A', fields: [{ name: 'x', type: 'text' }], n: [1, true, null], o: { p: 'q r' } },
      null,
      2,
    );
    const dropped = fc.nat({ max: template.length - 1 });
    fc.assert(
      fc.property(dropped, (at) => {
        let text = template.slice(0, at) + template.slice(at + 1);
        for (let clicks = 0; clicks < 12; clicks += 1) {
          const found = findSlip(text);
          if (found === null || found.fix === null) return true;
          const next = mended(text);
          if (next === text) return false;
          text = next;
        }
        return false;
      }),
      { numRuns: 500 },
    );
  },
);

t.test(
  'each key that is written twice is told once, by the editor or by the service',
  async (t) => {
    const text =
      '{\n "a": { "x": 1, "x": 2 },\n "b": [{ "x": 1, "y": 2, "x": 3, "x": 4 }],\n "b": 0\n}';
    const slips = repeatedSlips(text);
    t.strictSame(
      slips.map(({ sign, from }) => [sign, text.slice(0, from).split('\n').length]),
      [
        ['x', 2],
        ['x', 3],
        ['b', 4],
      ],
    );
    let clicks = 0;
    for (let made = text; repeatedSlips(made).length > 0; made = mended(made)) clicks += 1;
    t.equal(clicks, 4, 'one for each key without effect');
    const message = 'The key “x” is written twice in this object: only the last one counts.';
    t.equal(repeatedWords('x'), message);
    t.strictSame(slips.slice(0, 2).map(slipWords), [message, message]);
    const other = { severity: 'warning', path: 'a', message: 'Unknown key.' } as const;
    const findings = [
      { ...other, path: 'a.x', message },
      other,
      { ...other, path: 'b[0].x', message },
    ];
    t.strictSame(untold(slips, findings), [other]);
    t.same(untold([], findings), findings, 'a long text is not searched in the editor');
  },
);

/** Blanks before the mark that is missing may have been meant or not. */
function trimmed(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.trimEnd() : value;
}

/** The text after so many clicks; null: it is not JSON yet. */
function afterClicks(typed: string, clicks: number): unknown {
  let text = typed;
  for (let count = 0; count < clicks && findSlip(text)?.fix !== null; count += 1) {
    if (findSlip(text) === null) return JSON.parse(text, trimmed) as unknown;
    text = mended(text);
  }
  return null;
}

t.test('a closing quotation mark that was deleted is put back, or nothing is proposed', (t) => {
  for (const name of ['receipt.json', 'receipt-en.json']) {
    const text = readFileSync(join(HOME, 'templates', name), 'utf8');
    const original = JSON.parse(text, trimmed) as unknown;
    const marks = [...text.matchAll(/"(?:\\.|[^"\\])*"/g)].map(
      (found) => found.index + found[0].length - 1,
    );
    const tried = marks.filter((_, index) => index % 10 === 0);
    const made = tried.map((at) => afterClicks(text.slice(0, at) + text.slice(at + 1), 6));
    const wrong = made.filter((one) => one !== null && !isDeepStrictEqual(one, original));
    t.equal(wrong.length, 0, `${name}: no text swallows its neighbours`);
    const unknown = made.filter((one) => one === null);
    t.ok(
      unknown.length < tried.length / 10,
      `${name}: ${unknown.length} of ${tried.length} are left`,
    );
  }
  t.end();
});

t.test('a picture of megabytes is read past', async (t) => {
  const picture = `data:image/png;base64,${'iVBORw0K'.repeat(500_000)}`;
  t.equal(findSlip(`{ "images": { "logo": "${picture}" } }`), null);
  t.match(findSlip(`{ "images": { "logo": "${picture}" }, }`), { cause: 'comma_trailing' });
});

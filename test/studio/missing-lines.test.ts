import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { findSlip } from '../../src/runtime/json-slips/find.ts';
import { slipWords } from '../../src/runtime/json-slips/words.ts';
import { HOME } from '../../src/settings/config.ts';
import { editorTh } from '../../studio/src/i18n/editor-th.ts';

const NAMES = [
  'consolidated.json',
  'consolidated-en.json',
  'contract.json',
  'loan-offer.json',
  'receipt.json',
  'receipt-en.json',
  'scans.json',
  'statement.json',
];
/** Lines between the one that was deleted and the one that the message names. */
const NEAR_LINES_MAX = 3;

/** A template's text; its pictures are cut short, because each try reads all of it. */
function templateOf(name: string): string {
  const text = readFileSync(join(HOME, 'templates', name), 'utf8');
  return text.replaceAll(/(;base64,)[^"]+/g, '$1AAAA');
}

/** Whether a line opens or closes more than it closes or opens itself. */
function isStructural(line: string): boolean {
  let signs = line.replaceAll(/"(?:[^"\\]|\\.)*"|[^[\]{}]/g, '');
  for (let left = ''; left !== signs;) {
    left = signs;
    signs = left.replaceAll(/\[\]|\{\}/g, '');
  }
  return signs !== '';
}

interface Share {
  tried: number;
  near: number;
  /** Slips that call the deleted line by what it was: one that opens, or one that closes. */
  right: number;
}

/** Deletes each structural line of a text in turn. */
function shareOf(text: string): Share {
  const share = { tried: 0, near: 0, right: 0 };
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (!isStructural(line)) continue;
    const slip = findSlip(lines.toSpliced(index, 1).join('\n'));
    // A line with an end and a beginning, such as `}, {`, may leave JSON behind.
    if (slip === null || slip.cause === 'key_repeated') continue;
    const before = lines.toSpliced(index, 1).join('\n').slice(0, slip.from);
    const named = slip.missing?.line ?? before.split('\n').length;
    // The line that was number `index` + 1 is missing between these two.
    const away = Math.min(Math.abs(named - index), Math.abs(named - index - 1));
    share.tried += 1;
    share.near += away <= NEAR_LINES_MAX ? 1 : 0;
    const isClosing = /^\s*[\]}]/.test(line);
    share.right += (isClosing ? /unclosed/ : /unopened|alone/).test(slip.cause) ? 1 : 0;
  }
  return share;
}

t.test('a line that was deleted is missed where it was', (t) => {
  for (const name of NAMES) {
    const text = templateOf(name);
    const { tried, near, right } = shareOf(text);
    t.ok(tried > 100, `${name}: ${tried} lines were deleted`);
    t.ok(near >= tried * 0.95, `${name}: ${near} of ${tried} are named within three lines`);
    t.ok(right >= tried * 0.75, `${name}: ${right} of ${tried} are called what they were`);
  }
  t.end();
});

t.test('the width of the indentation does not matter', (t) => {
  const value = JSON.parse(templateOf('scans.json')) as unknown;
  for (const indent of ['\t', '    ']) {
    const { tried, near, right } = shareOf(JSON.stringify(value, null, indent));
    t.ok(near >= tried * 0.95, `${near} of ${tried} are named within three lines`);
    t.ok(right >= tried * 0.95, `${right} of ${tried} are called what they were`);
  }
  t.end();
});

const CARD = `{
  "content": [
    {
      "margin": [0, 4],
      "stack": [
        { "text": "one" },
        { "text": "two" },
        { "text": "three" }
      ]
    },
    {
      "style": {
        "fontSize": 9,
        "bold": true
      }
    }
  ]
}`;

/** What is said about the card without some of its text. */
function message(deleted: string): string {
  const slip = findSlip(CARD.replace(deleted, ''));
  return slip === null ? '' : `${slip.fix === null ? 'no fix' : 'fix'}: ${slipWords(slip)}`;
}

t.test('the message names the line below the gap, and proposes only what is certain', (t) => {
  t.equal(
    message('      "stack": [\n'),
    'no fix: This “]” closes nothing: it is one too many, or the line with its “[” is missing above line 5.',
  );
  // Without this “}”, the text would be JSON, but the members would be those of the node.
  t.equal(
    message('      "style": {\n'),
    'no fix: This “}” closes nothing: it is one too many, or the line with its “{” is missing above line 12.',
  );
  t.equal(
    message('    },\n'),
    'fix: This “{” is opened here and not closed: the line with its “}” is missing above line 10.',
  );
  t.equal(
    message('    {\n'),
    'fix: This “}” closes nothing: the line with its “{” is missing above line 3.',
  );
  for (const cause of ['alone', 'unclosed', 'unopened'] as const) {
    const thai = editorTh[`slip.bracket_${cause}_line`];
    for (const part of ['{sign}', '{partner}', '{line}']) t.ok(thai.includes(part), cause);
  }
  t.end();
});

t.test('odd indentation alone is no missing line', (t) => {
  const odd = CARD.replace('      ]\n', '         ]\n').replace(
    '        { "text": "two"',
    '  { "text": "two"',
  );
  t.equal(findSlip(odd), null);
  // Brackets have their partners; what is wrong is a word without its quotation marks.
  t.match(findSlip(odd.replace('"three"', '"three", x')), {
    cause: 'key_unquoted',
    missing: null,
  });
  t.match(findSlip(odd.replace('"bold": true', '"bold" @ true')), {
    cause: 'unknown',
    missing: null,
  });
  // Of two equal lines that close, the second is one too many.
  const twice = findSlip(CARD.replace('      ]\n', '      ]\n      ]\n'));
  t.match(twice, { cause: 'bracket_extra', missing: null });
  t.end();
});

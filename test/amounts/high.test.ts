import t from 'tap';
import run from '../../src/workers/render.ts';
import { shareTemplate } from '../../lab/render.ts';

async function findingsOf(document: object, note = 'a'): Promise<readonly object[]> {
  const fields = [{ name: 'note', type: 'text' }];
  const samples = [{ name: 'one', data: { note } }];
  const template = shareTemplate(JSON.stringify({ templateId: 'high', fields, document, samples }));
  const result = await run({ kind: 'check', template, renderSamples: true, atMs: 0 });
  if (result === undefined || !('findings' in result)) throw new Error('a check has findings');
  return result.findings.map(({ severity, path, message }) => ({ severity, path, message }));
}

const LINES = { stack: ['One', 'Two', 'Three'], fontSize: 30 };

t.test('a header or footer that is higher than its margin is a warning', async (t) => {
  const content = [{ text: '{{note}}', alignment: 'right' }];
  for (const header of [LINES, { stack: [LINES, '{{page}}'] }, { qr: 'https://bank.example' }]) {
    const [finding, ...more] = await findingsOf({ pageMargins: 40, header, content });
    t.match(finding, {
      severity: 'warning',
      path: 'document.header',
      message:
        /^The texts and codes of the header take \d+ points and its margin has 40: it is printed over the content of the page\. Make the header lower, or the top margin in "pageMargins" \d+ or more\.$/,
    });
    t.strictSame(more, []);
  }
  t.match(await findingsOf({ pageMargins: [40, 40, 40, 60], footer: LINES, content }), [
    { severity: 'warning', path: 'document.footer', message: /its margin has 60: its end leaves/ },
  ]);
});

t.test('a code of a header that hides a text is refused', async (t) => {
  const header = { qr: 'https://bank.example' };
  t.match(await findingsOf({ pageMargins: 40, header, content: ['{{note}}'] }), [
    {
      severity: 'error',
      path: 'document.header',
      message: /^The texts and codes of the header take 125 points even with the shortest values/,
    },
  ]);
});

t.test('one that ends within its margin is none', async (t) => {
  const content = ['{{note}}'];
  const pageMargins = [40, 120, 40, 120];
  t.strictSame(await findingsOf({ pageMargins, header: LINES, footer: LINES, content }), []);
  t.strictSame(
    await findingsOf({ pageMargins: 40, header: 'One', footer: '{{page}}', content }),
    [],
  );
});

t.test('one whose values need the room is refused, once', async (t) => {
  const header = { stack: ['One', '{{note}}'], fontSize: 20 };
  const document = { pageMargins: 60, header, content: ['Text'] };
  t.strictSame(await findingsOf(document), []);
  const found = await findingsOf(document, 'word '.repeat(60));
  t.match(found, [{ severity: 'error', path: 'document.header' }]);
  t.equal(found.length, 1);
});

t.test('fixed lines that are too high are blamed, and not the value among them', async (t) => {
  const content = ['{{note}}'];
  const mend = 'Make the footer lower, or the bottom margin in "pageMargins" 68 or more.';
  const tooHigh = {
    severity: 'error',
    path: 'document.footer',
    message:
      'The texts and codes of the footer take 68 points even with the shortest values and its margin has 40:' +
      ` its end leaves the paper. ${mend}`,
  };
  for (const first of ['{{note}}', '{{page}}']) {
    const footer = { text: `${first}\nb\nc\nd\ne` };
    t.strictSame(await findingsOf({ footer, content }), [tooHigh], first);
  }
  t.match(await findingsOf({ footer: { text: '{{note}}\nb' }, content }, 'long '.repeat(200)), [
    { severity: 'error', path: 'document.footer', message: /limit the length of the field/ },
  ]);
});

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { faultsOf, render, shareTemplate } from '../../../lab/render.ts';

const INFO = {
  title: 'Loan offer {{no}}',
  subject: 'Offer of {{issued}}',
  author: 'Intaglio <Bank>',
  keywords: 'loan, {{missing}}offer',
};

function templateWith(info: object | undefined): ReturnType<typeof shareTemplate> {
  const fields = [
    { name: 'no', type: 'text' },
    { name: 'issued', type: 'date', format: { calendar: 'buddhist' } },
    { name: 'missing', type: 'text' },
  ];
  const document = { compress: false, content: 'x', ...(info === undefined ? {} : { info }) };
  return shareTemplate(JSON.stringify({ templateId: 'i', language: 'th', fields, document }));
}

const DATA = { no: 'LN\n (4)', issued: '2026-11-21' };

async function syntaxOf(
  info: object | undefined,
  options: Parameters<typeof render>[2] = {},
  data: object = DATA,
): Promise<string> {
  const { pdf } = await render(templateWith(info), data, options);
  return Buffer.from(pdf).toString('latin1');
}

t.test('title, subject, author and keywords come from the template', async (t) => {
  const { pdf } = await render(templateWith(INFO), DATA);
  const file = join(t.testdir(), 'info.pdf');
  t.equal(faultsOf(file, pdf), '');
  const shown = execFileSync('pdfinfo', [file]).toString();
  t.match(shown, /^Title: +Loan offer LN \(4\)$/m);
  t.match(shown, /^Subject: +Offer of 21 พฤศจิกายน 2569$/m);
  t.match(shown, /^Author: +Intaglio <Bank>$/m);
  t.match(shown, /^Keywords: +loan, offer$/m);
  const syntax = Buffer.from(pdf).toString('latin1');
  t.match(syntax, '/ViewerPreferences<</DisplayDocTitle true>>');
  t.match(syntax, '<dc:creator><rdf:Seq><rdf:li>Intaglio &lt;Bank&gt;</rdf:li>');
});

t.test('the request wins for title and subject, and the rest stays the template’s', async (t) => {
  const syntax = await syntaxOf(INFO, { metadata: { title: 'Of the request' } });
  t.match(syntax, '/Title(Of the request)');
  t.match(syntax, '/Author(Intaglio <Bank>)');
  t.notMatch(syntax, 'Loan offer');
  const plain = await syntaxOf(undefined, { metadata: { title: 'T', subject: 'S' } });
  t.match(plain, '/Title(T)/Subject(S)');
  t.match(plain, '/DisplayDocTitle true');
});

t.test('a document without a title does not mention one', async (t) => {
  for (const syntax of [await syntaxOf(undefined), await syntaxOf({ title: '{{missing}}' })]) {
    t.notMatch(syntax, /\/Title|DisplayDocTitle|dc:title/);
  }
});

t.test('a title of a template has the same limit as one of a request', async (t) => {
  const syntax = await syntaxOf({ title: '{{no}}' }, {}, { no: 'n'.repeat(5_000) });
  t.match(syntax, `/Title(${'n'.repeat(200)})`);
});

import t from 'tap';
import { shareTemplate, tryRender } from '../../../lab/render.ts';

function withHeader(text: string, bound = ''): ReturnType<typeof shareTemplate> {
  const fields = ['lines', 'memo'].map((name) => ({ name, type: 'text', required: false }));
  const document = { header: { text: `${text}${bound}`, fontSize: 1 }, content: ['{{lines}}'] };
  return shareTemplate(JSON.stringify({ templateId: 'x', name: 'x', fields, document }));
}

t.test('a header drawn again on each page has a limit that counts all pages', async (t) => {
  const lines = 'a\n'.repeat(60_000);
  const memo = 'x '.repeat(5_000);
  const numbered = withHeader('{{page}} ', '{{memo}}');
  t.match(await tryRender(numbered, { lines: 'a', memo }), { ok: true });
  t.match(await tryRender(numbered, { lines, memo: 'x' }), { ok: true });
  t.match(await tryRender(numbered, { lines, memo }), {
    code: 'render_failed',
    message: /^document\.header.*again on each/,
  });
  t.match(await tryRender(withHeader('{{memo}}'), { lines, memo }), { ok: true }, 'drawn once');
});

t.test('a paragraph with more lines than any document holds is refused early', async (t) => {
  const document = { content: [{ columns: [{ width: 6, text: '{{lines}}' }] }] };
  const fields = [{ name: 'lines', type: 'text', required: true }];
  const narrow = shareTemplate(JSON.stringify({ templateId: 'x', name: 'x', fields, document }));
  t.match(await tryRender(narrow, { lines: 'x'.repeat(300_000) }), {
    code: 'render_failed',
    message: /more than 200000 lines/,
  });
});

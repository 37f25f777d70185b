import t from 'tap';
import { createEngine } from '#engine';
import type { RenderResult } from '#engine';
import { warmUp } from './warm-up.ts';

t.test('the built-in document is rendered without a warning', async (t) => {
  const engine = createEngine();
  const results: RenderResult[] = [];
  await warmUp(async (job) => {
    const result = await engine.render(job);
    results.push(result);
    return result;
  });
  t.match(results, [{ ok: true, value: { pages: 1, missingCharacters: 0 } }]);
});

t.test('a thread that cannot render it does not start', async (t) => {
  const refuse = { ok: false, code: 'render_failed', message: 'no font' } as const;
  await t.rejects(
    warmUp(() => Promise.resolve(refuse)),
    { message: /warm-up document failed: no font/ },
  );
});

import t from 'tap';
import { inTurn } from './measure.ts';

t.test('figures are kept after each bench, also when the next one fails', async (t) => {
  const kept: string[] = [];
  const runs = [
    async () => 'engine',
    async () => 'rows',
    async (): Promise<string> => {
      throw new Error('a service did not start');
    },
  ];
  const measuring = inTurn(runs, async (measured) => void kept.push(measured.join(', ')));
  await t.rejects(measuring, { message: 'a service did not start' });
  t.strictSame(kept, ['engine', 'engine, rows']);
});

import t from 'tap';
import { shareTemplate } from '../../lab/render.ts';
import { parseExact } from '../../studio/src/api/exact.ts';
import { differingParts } from '../../studio/src/compare/parts.ts';
import { thaiFinding } from '../../studio/src/editor/finding-words.ts';
import { formatJson, readTemplate } from '../../studio/src/editor/template-text.ts';
import { entryFault } from '../../studio/src/form/entries.ts';
import { withParsedTexts } from '../../studio/src/form/json-texts.ts';
import { LIMITS } from '../../src/limits.ts';
import { createEngine } from '#engine';

/** Levels around the innermost list: file, samples, sample, data. */
const AROUND = 4;

function nested(lists: number): string {
  return `${'['.repeat(lists)}1.10${']'.repeat(lists)}`;
}

/** A template whose sample nests that deep. */
function deep(levels: number): string {
  const data = `{"a":${nested(levels - AROUND + 1)}}`;
  return `{"templateId":"deep","name":"Deep","fields":[],"samples":[{"data":${data}}]}`;
}

async function findingsOf(text: string): Promise<readonly { path: string; message: string }[]> {
  const template = shareTemplate(text);
  const job = { kind: 'check', template, renderSamples: false, atMs: 0 } as const;
  return (await createEngine().check(job)).findings;
}

t.test('the Studio reads templates as deep as the service does, and no deeper', async (t) => {
  const most = deep(LIMITS.templateJsonDepthMax);
  t.equal(readTemplate(most)?.samples.length, 1);
  t.not(formatJson(most), most, 'it is laid out');
  t.equal(differingParts(most, most.replace('1.10', '1.1'))?.[0]?.path, 'samples');
  const tooDeep = /^The file nests deeper than 500 levels\.$/;
  t.notOk((await findingsOf(most)).some(({ message }) => tooDeep.test(message)));

  for (const levels of [LIMITS.templateJsonDepthMax + 1, 5_000, 100_000]) {
    const text = deep(levels);
    t.equal(readTemplate(text), null);
    t.equal(formatJson(text), text, 'its lines are not laid out');
    t.equal(differingParts(text, most), null);
    const [found, ...others] = await findingsOf(text);
    t.match(found?.message, tooDeep);
    t.strictSame(others, []);
    t.equal(thaiFinding(found ?? { path: '', message: '' }, String), 'ไฟล์ซ้อนกันลึกเกิน 500 ชั้น');
  }
});

t.test('a list that is typed deeper is a fault of the field', async (t) => {
  const lines = { name: 'lines', type: 'list', required: true, fields: [] } as const;
  const typed = nested(100_000);
  t.throws(() => parseExact(typed), SyntaxError);
  t.match(
    entryFault(lines, typed, () => ''),
    { kind: 'json', entry: 0 },
  );
  t.strictSame(withParsedTexts([lines], { lines: typed }), { lines: typed });
});

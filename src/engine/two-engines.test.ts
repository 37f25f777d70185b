import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import sharp from 'sharp';
import t, { type Test } from 'tap';
import { createEngine } from '#engine';
import type { Engine, EngineSettings, RenderedDocument, RenderResult } from '#engine';
import { createDecodeCells } from '#engine/light';
import { shareTemplate } from '../../lab/render.ts';
import { renderJob } from './make-job.ts';

/** Engines of one process that have different settings: none of them knows of the others. */

t.setTimeout(1_500_000);

const require = createRequire(import.meta.url);
/** A word that no lexicon has. */
const MADE_UP = 'ธนพรโอนไว';

function templateOf(document: object, fields: readonly object[] = []): string {
  return JSON.stringify({ templateId: 'x', name: 'x', language: 'th', fields, document });
}

function tryRender(engine: Engine, source: string, data: object): Promise<RenderResult> {
  const body = Buffer.from(JSON.stringify(data));
  return engine.render(renderJob(shareTemplate(source), body, 0));
}

/** A WebP, which is always decoded; of another height, so that no cache has it. */
async function image(height: number): Promise<string> {
  const create = { width: 40, height, channels: 3, background: 'red' } as const;
  const file = await sharp({ create }).webp().toBuffer();
  return `data:image/webp;base64,${file.toString('base64')}`;
}

async function render(engine: Engine, source: string, data: object): Promise<RenderedDocument> {
  const result = await tryRender(engine, source, data);
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`);
  return result.value;
}

/** Renders a template with two engines in turns; gives the digest of each, the same every time. */
async function rendersInTurns(
  t: Test,
  settings: readonly [Partial<EngineSettings>, Partial<EngineSettings>],
  source: string,
  data: object,
): Promise<readonly [string, string]> {
  const [one, other] = settings.map(createEngine) as [Engine, Engine];
  const first = (await render(one, source, data)).sha256;
  const second = (await render(other, source, data)).sha256;
  // A further engine of each kind finds the process as the others left it.
  const [again, otherAgain] = settings.map(createEngine) as [Engine, Engine];
  t.equal((await render(otherAgain, source, data)).sha256, second);
  t.equal((await render(again, source, data)).sha256, first);
  t.equal((await render(one, source, data)).sha256, first);
  return [first, second];
}

t.test('each engine has the words of its institution', async (t) => {
  const text = MADE_UP.repeat(20);
  const source = templateOf({ content: [{ text, margin: [0, 0, 330, 0] }] });
  const settings = [{}, { words: [MADE_UP] }] as const;
  const [plain, withWords] = await rendersInTurns(t, settings, source, {});
  t.not(plain, withWords, 'lines end elsewhere');
});

t.test('each engine has the fonts of its folder', async (t) => {
  const folder = t.testdir({});
  // Another face under a name that ships, too: this Sarabun is always bold.
  const shipped = require.resolve('@expo-google-fonts/sarabun/package.json');
  const bold = join(shipped, '../700Bold/Sarabun_700Bold.ttf');
  copyFileSync(bold, join(folder, 'Sarabun.ttf'));
  const source = templateOf({ content: '{{name}}' }, [
    { name: 'name', type: 'text', required: true },
  ]);
  const settings = [{}, { fontsDir: folder }] as const;
  const [shippedFace, ownFace] = await rendersInTurns(t, settings, source, { name: 'สมชาย' });
  t.not(shippedFace, ownFace);
});

t.test('what an engine can draw depends on its own fonts', async (t) => {
  const folder = t.testdir({});
  // A face with the letters of Hebrew, which the shipped ones lack.
  const other = require.resolve('@expo-google-fonts/miriam-libre/package.json');
  copyFileSync(join(other, '../400Regular/MiriamLibre_400Regular.ttf'), join(folder, 'm.ttf'));
  const fields = [{ name: 'name', type: 'text', required: true }];
  const source = templateOf({ content: '{{name}}', missingGlyph: 'reject' }, fields);
  const data = { name: 'שלום' };
  const plain = createEngine();
  const hebrew = createEngine({ fontsDir: folder });
  t.match(await tryRender(plain, source, data), { ok: false, code: 'invalid_data' });
  t.match(await tryRender(hebrew, source, data), { ok: true });
  t.match(await tryRender(plain, source, data), { ok: false, code: 'invalid_data' });
});

t.test('each engine has its own budget of pixels', async (t) => {
  const taken = createDecodeCells(1_000_000);
  // All of it is lent to somebody else, for an hour.
  const [seconds, nanoseconds] = process.hrtime();
  taken.fill(((seconds + 3_600) * 1_000 + Math.floor(nanoseconds / 1e6)) | 0);
  const source = templateOf({ content: [{ image: '{{photo}}' }] }, [
    { name: 'photo', type: 'image', required: true },
  ]);
  const free = createEngine();
  const blocked = createEngine({ decodeCells: taken, decodeWaitMsMax: 0 });
  await t.rejects(render(blocked, source, { photo: await image(1) }), { message: /^overloaded/ });
  await render(free, source, { photo: await image(2) });
  await t.rejects(render(blocked, source, { photo: await image(3) }), { message: /^overloaded/ });
});

t.test('earlier documents do not change a byte of a document', async (t) => {
  // Characters outside the fixed subsets are put into fonts of the document, which are named after
  // their faces.
  const content = ['{{name}}', { text: '{{name}}', font: 'Roboto' }];
  const fields = [{ name: 'name', type: 'text', required: true }];
  const source = templateOf({ defaultStyle: { font: 'Sarabun' }, content }, fields);
  const digests: string[] = [];
  for (const font of ['Sarabun', 'Roboto']) {
    const engine = createEngine();
    await render(engine, templateOf({ defaultStyle: { font }, content: ['x'] }), {});
    digests.push((await render(engine, source, { name: 'Ω Ж ŵ ỹ' })).sha256);
  }
  t.equal(digests[0], digests[1]);
});

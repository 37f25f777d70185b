import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import { environment, intaglio, serve } from '../../lab/service/command-line.ts';
import { folderOf, setUpNote, setUpTemplate } from '../fixtures/note.ts';

const require = createRequire(import.meta.url);
const LALEZAR = require.resolve('@expo-google-fonts/lalezar/Lalezar_400Regular.ttf');

/** The font with the first outline naming more points than it has. */
function withBrokenOutline(font: Buffer): Buffer {
  const broken = Buffer.from(font);
  for (let entry = 12; ; entry += 16) {
    if (font.toString('latin1', entry, entry + 4) !== 'glyf') continue;
    broken.writeUInt16BE(0x7fff, font.readUInt32BE(entry + 8));
    return broken;
  }
}

t.test('a broken font is named, and only templates that use it are refused', async (t) => {
  const folder = folderOf(t);
  const fonts = join(folder, 'fonts');
  mkdirSync(fonts);
  writeFileSync(join(fonts, 'sign.ttf'), withBrokenOutline(readFileSync(LALEZAR)));
  const env = environment(folder, { INTAGLIO_FONTS_DIR: fonts });
  const note = { templateId: 'note', name: 'Note', language: 'en', fields: [], samples: [] };
  const document = { defaultStyle: { font: 'Lalezar' }, content: [{ text: 'Hello' }] };
  const key = await setUpNote(folder);
  await setUpTemplate(folder, { ...note, templateId: 'poster', document } as typeof note, ['runs']);

  const reason = /the outline of glyph 0 has contours that run backwards/;
  const check = await intaglio(env, 'serve', '--check');
  t.match(check.err, /sign\.ttf is left out/);
  t.match(check.err, reason);
  const doctor = await intaglio(env, 'doctor', '--json');
  t.match(doctor.out, /sign\.ttf/);
  t.match(doctor.out, reason);

  const { url, lines } = await serve(t, env);
  t.match(
    lines.find(({ msg }) => msg === 'font file left out'),
    { file: 'sign.ttf', reason },
  );
  const made = async (templateId: string, data: object): Promise<readonly [number, string]> => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const body = JSON.stringify({ templateId, mode: 'sync', data });
    const reply = await fetch(`${url}/v1/generate`, { method: 'POST', headers, body });
    return [reply.status, reply.ok ? '' : await reply.text()];
  };
  t.equal((await made('note', { text: 'Hello' }))[0], 200);
  const [status, said] = await made('poster', {});
  t.equal(status, 422);
  t.match(said, /Lalezar/);
});

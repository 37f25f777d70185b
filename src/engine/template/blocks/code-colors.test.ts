import t from 'tap';
import { compileFile } from '../fixtures.ts';

async function warned(node: object): Promise<readonly string[]> {
  const { template, findings } = await compileFile({
    templateId: 'test',
    language: 'en',
    fields: [],
    document: { content: [node] },
  });
  t.ok(template, 'it can be published all the same');
  return findings.map(({ severity, path, message }) => `${severity} ${path}: ${message}`);
}

async function colored(
  code: object,
  foreground?: unknown,
  background?: unknown,
): Promise<readonly string[]> {
  return warned({ ...code, foreground, background });
}

const LIGHTER =
  'warning document.content[0]: "foreground" is lighter than "background": many readers cannot ' +
  'read such a code. Make "foreground" dark and "background" light.';
const faint = (percent: number): string =>
  `warning document.content[0]: The contrast of "foreground" and "background" is ${percent} %: ` +
  'many readers need 40 %. Make "foreground" darker, or "background" lighter.';

for (const code of [{ qr: 'x' }, { barcode: 'ean13', data: '885123456789' }]) {
  t.test(
    `${Object.keys(code)[0]}: colours that readers cannot tell apart are a warning`,
    async (t) => {
      t.same(await colored(code), []);
      t.same(await colored(code, '#12305c', '#f0ead9'), []);
      t.same(await colored(code, 'gray', 'white'), []);
      t.same(await colored(code, 'orange'), [], 'on white');
      t.same(await colored(code, 'gold'), [faint(30)]);
      t.same(await colored(code, 'orange', 'pink'), [faint(15)]);
      t.same(await colored(code, '#000', '#555'), [faint(9)]);
      t.same(await colored(code, 'red', 'red'), [faint(0)]);
      t.same(await colored(code, 'white', 'navy'), [LIGHTER]);
      t.same(await colored(code, [0, 0, 0, 0], [0, 0, 0, 100]), [LIGHTER], 'as inks');
    },
  );
}

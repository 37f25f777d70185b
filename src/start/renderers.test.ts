import { join } from 'node:path';
import t from 'tap';
import { readConfig } from '../settings/config.ts';
import { readFontsFolder } from './renderers.ts';

const configWith = (folder: string): ReturnType<typeof readConfig> =>
  readConfig({ INTAGLIO_FONTS_DIR: folder });

t.test(
  'folder of fonts: unusable files are reported, a missing folder is a ConfigError',
  async (t) => {
    const folder = t.testdir({ 'broken.ttf': 'no font', 'notes.txt': '' });
    t.match(await readFontsFolder(configWith(folder)), [
      { file: 'broken.ttf', reason: /TrueType/ },
    ]);
    t.equal((await readFontsFolder(configWith(folder))).length, 1);
    t.same(await readFontsFolder(configWith('')), []);
    await t.rejects(readFontsFolder(configWith(join(folder, 'none'))), {
      name: 'ConfigError',
      message: /^INTAGLIO_FONTS_DIR: cannot read \/.*: there is no such folder$/,
    });
  },
);

import { SETTINGS } from '../../settings/config.ts';
import { readFontsFolder, readWordsFile } from '../../start/renderers.ts';
import { attempt } from './attempt.ts';
import type { Examination } from './examination.ts';
import { ok, type Verdict, warning } from './finding.ts';

export function checkFonts({ config }: Examination): Promise<Verdict> {
  const folder = config.fontsDir ?? 'those that ship with the service';
  return attempt({ variable: SETTINGS.fontsDir.variable, place: folder }, async () => {
    const rejected = await readFontsFolder(config);
    if (rejected.length === 0) return ok(folder);
    const names = rejected.map(({ file, reason }) => `${file} is left out: ${reason}`);
    return warning(names.join('; '), 'replace or remove these files');
  });
}

export function checkWords({ config }: Examination): Promise<Verdict> {
  const { wordsFile } = config;
  const culprit = { variable: SETTINGS.wordsFile.variable, place: wordsFile ?? 'no file' };
  return attempt(culprit, () => {
    readWordsFile(config);
    return ok(wordsFile === null ? 'no file of words' : `${wordsFile} is sound`);
  });
}

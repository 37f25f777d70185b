import t from 'tap';
import { render, shareTemplate } from '../../lab/render.ts';
import { readModel } from '../../tools/pdfa/model.ts';
import { randomTemplate } from './random.ts';
import { readAloud } from '../../tools/pdfa/reading.ts';
import { violationsOf } from '../../tools/pdfa/rules.ts';

/**
 * Random templates violate no rule, and are read in the order of their template. To run a failing
 * seed alone: INTAGLIO_RANDOM_TEMPLATES=1 INTAGLIO_SEED=…; 200 templates take about a minute.
 */

const COUNT = Number(process.env['INTAGLIO_RANDOM_TEMPLATES'] ?? 16);
const SEED = Number(process.env['INTAGLIO_SEED'] ?? 1);
const LEVELS = ['2a', '3u', '3a', '2u'] as const;

/** Spaces at the ends of lines are not text of the template. */
const plain = (text: string): string => text.replaceAll(/\s+/g, '');

for (let seed = SEED; seed < SEED + COUNT; seed++) {
  const level = LEVELS[seed % LEVELS.length] ?? '2a';
  t.test(`the template of seed ${seed} complies with PDF/A-${level}`, async (t) => {
    const { source, texts } = randomTemplate(seed, level);
    const model = readModel((await render(shareTemplate(source), {})).pdf);
    t.strictSame(violationsOf(model, level), []);
    if (!level.endsWith('a')) return;
    t.strictSame(violationsOf(model, 'ua'), []);
    const heard = readAloud(model)
      .filter(({ type }) => type !== 'Lbl' && type !== 'Figure')
      .map(({ text }) => plain(text));
    t.equal(heard.join(''), plain(texts.join('')));
  });
}

import t from 'tap';
import { GUIDE_DATA, guideExamples } from '../../lab/pages/guide.ts';
import { render, shareTemplate } from '../../lab/render.ts';
import { archived } from './archived.ts';
import { readModel } from '../../tools/pdfa/model.ts';
import { violationsOf } from '../../tools/pdfa/rules.ts';

/** Every example of docs/templates.md complies with every level. */

const examples = await guideExamples();
t.ok(examples.length >= 18, 'the guide has its examples');

for (const { name, template } of examples) {
  t.test(`the example ${name} complies with each level`, async (t) => {
    for (const level of ['2u', '3u', '2a', '3a'] as const) {
      const source = JSON.stringify(archived(template, level));
      const { pdf } = await render(shareTemplate(source), GUIDE_DATA);
      const model = readModel(pdf);
      t.strictSame(violationsOf(model, level), [], level);
      if (level.endsWith('a')) t.strictSame(violationsOf(model, 'ua'), [], 'PDF/UA');
    }
  });
}

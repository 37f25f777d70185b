import t from 'tap';
import { render, shareTemplate } from '../render.ts';
import { takeApart, putTogether } from './edit.ts';
import { ARCHIVE_MUTATIONS, SOUND_EXTENSION, UNBROKEN } from './mutations.ts';
import type { Profile } from './rules.ts';
import { findViolations, RULES } from './rules.ts';
import { SAMPLE_DATA, sampleTemplate } from './sample.ts';

/** The checker itself: a sound file breaks nothing, and each fault is told by its clause. */

async function sound(level: '2u' | '3u'): Promise<Uint8Array> {
  const source = sampleTemplate({ archive: `PDF/A-${level}` });
  const { pdf } = await render(shareTemplate(source), SAMPLE_DATA);
  return pdf;
}

const files = { '2u': await sound('2u'), '3u': await sound('3u') };

function broken(pdf: Uint8Array, profile: Profile): string[] {
  return [...new Set(findViolations(pdf, profile).map(({ rule }) => rule))];
}

for (const level of ['2u', '3u'] as const) {
  t.test(`a sound file of level ${level} breaks no rule`, async (t) => {
    t.strictSame(findViolations(files[level], level), []);
    const rebuilt = putTogether(takeApart(files[level]));
    t.strictSame(findViolations(rebuilt, level), [], 'nor does it once put together anew');
    t.strictSame(broken(SOUND_EXTENSION.apply(takeApart(files[level])), level), []);
  });

  t.test(`each rule of level ${level} is told when it is broken`, async (t) => {
    const wanted = RULES.filter(({ profiles }) => profiles.includes(level));
    t.ok(wanted.length >= 146);
    for (const { id } of wanted) {
      const mutations = ARCHIVE_MUTATIONS.filter(({ breaks }) => breaks === id);
      t.ok(mutations.length > 0 || UNBROKEN[id] !== undefined, `${id} has a file that breaks it`);
      for (const mutation of mutations) {
        const found = broken(mutation.apply(takeApart(files[level])), level);
        t.ok(found.includes(id), `${id}: ${found.join(', ')}`);
      }
    }
  });
}

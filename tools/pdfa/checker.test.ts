import t from 'tap';
import { render, shareTemplate } from '../../lab/render.ts';
import { takeApart, putTogether } from './mutations/edit.ts';
import {
  ARCHIVE_MUTATIONS,
  type Mutation,
  SOUND_EXTENSION,
  UNBROKEN,
} from './mutations/mutations.ts';
import type { Profile, Rule } from './rules.ts';
import { findViolations, RULES } from './rules.ts';
import { SAMPLE_DATA, sampleTemplate } from './mutations/sample.ts';
import { ACCESSIBLE_MUTATIONS, LEVEL_A_MUTATIONS } from './mutations/tag-mutations.ts';

/**
 * Tests of the checker: a valid file violates no rule, and each violation is reported by clause.
 */

const LEVELS = ['2u', '3u', '2a', '3a', 'ua'] as const;

async function sound(level: Profile): Promise<Uint8Array> {
  const more = level === 'ua' ? {} : { archive: `PDF/A-${level}` };
  const source = sampleTemplate(more, level === 'ua' ? { tagged: true } : {});
  const { pdf } = await render(shareTemplate(source), SAMPLE_DATA);
  return pdf;
}

/** Ways to break the rules of a level. */
function mutationsFor(level: Profile): readonly Mutation[] {
  if (level === 'ua') return ACCESSIBLE_MUTATIONS;
  return level.endsWith('a') ? LEVEL_A_MUTATIONS : ARCHIVE_MUTATIONS;
}

/** The rules to be broken; for a level A, those that its level U does not have. */
function rulesOf(level: Profile): readonly Rule[] {
  const wanted = RULES.filter(({ profiles }) => profiles.includes(level));
  return level.endsWith('a') && level !== 'ua'
    ? wanted.filter(({ id, profiles }) => !profiles.includes(below(level)) && id !== '6.6.4-3')
    : wanted;
}

function below(level: Profile): Profile {
  return level === '2a' ? '2u' : '3u';
}

function broken(pdf: Uint8Array, profile: Profile): string[] {
  return [...new Set(findViolations(pdf, profile).map(({ rule }) => rule))];
}

for (const level of LEVELS) {
  const pdf = await sound(level);
  t.test(`a sound file of level ${level} breaks no rule`, async (t) => {
    t.strictSame(findViolations(pdf, level), []);
    const rebuilt = putTogether(takeApart(pdf));
    t.strictSame(findViolations(rebuilt, level), [], 'nor does the rebuilt file');
    if (level !== 'ua') t.strictSame(broken(SOUND_EXTENSION.apply(takeApart(pdf)), level), []);
  });

  t.test(`each broken rule of level ${level} is reported`, async (t) => {
    for (const { id } of rulesOf(level)) {
      const mutations = mutationsFor(level).filter(({ breaks }) => breaks === id);
      const known = mutations.length > 0 || UNBROKEN[id] !== undefined;
      t.ok(known, `${id} has a file that breaks it`);
      for (const mutation of mutations) {
        const found = broken(mutation.apply(takeApart(pdf)), level);
        t.ok(found.includes(id), `${id}: ${found.join(', ')}`);
      }
    }
  });
}

t.test('the table has the rules of all five profiles', async (t) => {
  const counts = LEVELS.map((level) => RULES.filter((r) => r.profiles.includes(level)).length);
  t.strictSame(counts, [146, 148, 153, 155, 106]);
});

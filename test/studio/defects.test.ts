import { readFileSync } from 'node:fs';
import t from 'tap';
import { OF_FIELD, sayDefect } from '../../studio/src/form/defects.ts';
import { defectsEn } from '../../studio/src/i18n/defects-en.ts';
import { defectsTh } from '../../studio/src/i18n/defects-th.ts';
import { fill } from '../../studio/src/i18n/fill.ts';
import { formEn } from '../../studio/src/i18n/form-en.ts';
import { formTh } from '../../studio/src/i18n/form-th.ts';

const en = { ...formEn, ...defectsEn };
const th = { ...formTh, ...defectsTh };

const PAGE = readFileSync(new URL('../../docs/contract.md', import.meta.url), 'utf8');

/** Every reason of the page, which src/engine/contract/reasons.test.ts compares with the service. */
const REASONS: readonly string[] = Array.from(
  PAGE.slice(PAGE.indexOf('## Reasons')).matchAll(/^\| `([^`]+)`/gmu),
  ([, reason = '']) => reason.replaceAll(/\bN\b/g, '5'),
);

/** The texts for the reasons that `OF_FIELD` tells apart. */
const OF_FIELD_KEYS = {
  pattern: 'form.reason_form',
  mask: 'form.mask',
  amount: 'form.reason_amount',
  from: 'form.reason_from',
  until: 'form.reason_until',
} as const;

t.test('every reason for which a value is refused has a text in Thai and in English', async (t) => {
  t.ok(REASONS.length > 60);
  for (const reason of REASONS) {
    const own = Object.values(OF_FIELD).filter((pattern) => pattern.test(reason));
    const said = sayDefect(reason);
    t.equal(own.length + (said === null ? 0 : 1), 1, reason);
    if (said === null) continue;
    const thai = fill(th[said.key], said.parameters);
    t.match(thai, /[\u0e01-\u0e5b]/, reason);
    const english = fill(en[said.key], said.parameters);
    t.notMatch(thai + english, /[{}]/, reason);
    for (const number of reason.match(/\d{3,}/g) ?? []) {
      t.ok(thai.includes(number) && english.includes(number), `${reason}: ${number}`);
    }
  }
  for (const key of Object.values(OF_FIELD_KEYS)) {
    t.match(formTh[key], /[\u0e01-\u0e5b]/);
    t.not(formEn[key], '');
  }
});

t.test('no text of a reason is left over', async (t) => {
  const said = new Set(REASONS.map((reason) => sayDefect(reason)?.key));
  for (const key of Object.keys(defectsEn)) t.ok(said.has(key as keyof typeof en), key);
  t.strictSame(Object.keys(defectsTh), Object.keys(defectsEn));
});

function englishOf(reason: string): string {
  const said = sayDefect(reason);
  return said === null ? '' : fill(en[said.key], said.parameters);
}

t.test('a bound is written as a number of it: one entry, five entries', async (t) => {
  t.equal(englishOf('list of at least 1 entry expected'), 'At least 1 entry is expected.');
  t.equal(englishOf('list of at most 5 entries expected'), 'At most 5 entries are expected.');
});

import t from 'tap';
import { approvalsEn } from '../../studio/src/i18n/approvals-en.ts';
import { comparisonEn } from '../../studio/src/i18n/comparison-en.ts';
import { en } from '../../studio/src/i18n/en.ts';
import { fill } from '../../studio/src/i18n/fill.ts';
import { formEn } from '../../studio/src/i18n/form-en.ts';
import { formTh } from '../../studio/src/i18n/form-th.ts';

t.test('a count of one is singular', async (t) => {
  t.equal(fill(en['form.min_length'], { value: 1 }), 'at least 1 character');
  t.equal(fill(en['form.min_length'], { value: 13 }), 'at least 13 characters');
  t.equal(fill(en['form.max_length'], { value: '1' }), 'at most 1 character');
  t.equal(
    fill(formEn['form.reason_min_length'], { value: 1 }),
    'At least 1 character is expected.',
  );
  t.match(fill(formEn['form.mask_digits'], { count: 1, mask: 'x' }), '1 digit, printed as x');
  t.match(fill(comparisonEn['publish.hidden_reader'], { count: 1, all: 1 }), /^1 of 1 change:/);
  t.match(fill(comparisonEn['publish.hidden_reader'], { count: 1, all: 2 }), /^1 of 2 changes:/);
  t.match(fill(approvalsEn['approval.too_long'], { count: '2,001', max: 9 }), '2,001 characters;');
});

t.test('a count before a plural has words for one', async (t) => {
  const texts = Object.entries(en).filter(([, text]) => /\{(?:count|all)\} [a-z]+s\b/.test(text));
  t.strictSame(texts, []);
  t.equal(fill(formTh['form.reason_min_length'], { value: 1 }).includes('{'), false);
});

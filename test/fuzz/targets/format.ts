import { contractProblems } from '../../../src/engine/contract/descriptor.ts';
import { compileDateFormat } from '../../../src/engine/contract/format/formats.ts';
import { compileMask } from '../../../src/engine/contract/format/mask.ts';
import { compilePattern, PatternError } from '../../../src/engine/contract/regex.ts';
import type { FieldDescriptor } from '#engine';
import type { Target } from './target.ts';

/** Date patterns, masks and regular expressions of a template. */
export const formatTarget: Target = {
  seeds: async () => ['^[A-Z]{2}\\d+(a|b)*$', "EEEE 'ที่' d MMMM yyyy", 'xxx-X-•*', '{"decimals":2}'],
  dictionary: "( ) [ ] {2,3} * + ? | \\d \\p{L} \\u{41} ^ $ . (?: (?<a> yyyy MMM ' -".split(' '),
  run(input) {
    const text = input.toString('utf8').slice(0, 2000);
    const pattern = { pattern: text };
    const fields: FieldDescriptor[] = [
      { name: 'd', type: 'date', required: true, format: pattern },
      { name: 't', type: 'text', required: true, validation: pattern },
    ];
    const problems = contractProblems(fields, 'th').map(({ path }) => path);
    compileMask(text).apply('1234567890');
    if (!problems.includes('fields[0].format.pattern')) {
      compileDateFormat({ pattern: text }, 'th')('2026-11-21');
    }
    try {
      compilePattern(text).test('aab 12 ก\n');
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      return error.message.slice(0, 20);
    }
    return problems.join();
  },
};

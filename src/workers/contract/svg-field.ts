import type { FieldCheck } from './field-check.ts';
import { REASONS, SVG_REASONS } from './reasons.ts';
import { parseSvg } from '../svg/parse.ts';

/** svg: inline markup, parsed and checked by svg/parse.ts. */
export function compileSvg(): FieldCheck {
  return (value) => {
    if (typeof value !== 'string') return REASONS.svg;
    const outcome = parseSvg(value);
    return outcome.ok ? { type: 'svg', root: outcome.root } : SVG_REASONS[outcome.fault];
  };
}

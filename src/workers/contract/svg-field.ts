import type { FieldCheck } from './field-check.ts';
import { REASONS, SVG_REASONS } from './reasons.ts';
import { parseSvg } from '../svg/parse.ts';

/** The check of a field of type `svg`: its value is inline markup, which `parseSvg` checks. */
export function compileSvg(): FieldCheck {
  return (value) => {
    if (typeof value !== 'string') return REASONS.svg;
    const outcome = parseSvg(value);
    return outcome.ok ? { type: 'svg', root: outcome.root } : SVG_REASONS[outcome.fault];
  };
}

import type { FieldCheck, FieldDefinition } from './definition.ts';
import { REASONS, SVG_REASONS } from './reasons.ts';
import { parseSvg } from '../svg/parse.ts';

/** The check of a field of type `svg`: its value is inline markup, which `parseSvg` checks. */
export const SVG_FIELD: FieldDefinition = {
  formatKeys: [],
  validationKeys: [],
  prints: null,
  compile: compileSvg,
};

function compileSvg(): FieldCheck {
  return (value) => {
    if (typeof value !== 'string') return REASONS.svg;
    const outcome = parseSvg(value);
    return outcome.ok ? { type: 'svg', root: outcome.root } : SVG_REASONS[outcome.fault];
  };
}

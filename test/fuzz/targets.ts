import { draftTarget } from './targets/draft.ts';
import { expressionTarget } from './targets/expression.ts';
import { drawTarget, renderTarget } from './targets/render.ts';
import { contractTarget } from './targets/contract.ts';
import { envelopeTarget } from './targets/envelope.ts';
import { formatTarget } from './targets/format.ts';
import { dataUrlTarget, imageTarget } from './targets/image.ts';
import { svgTarget } from './targets/svg.ts';
import type { Target } from './targets/target.ts';
import { templateTarget } from './targets/template.ts';

/** Every parser of input that others write. */
export const TARGETS: Readonly<Record<string, Target>> = {
  envelope: envelopeTarget,
  contract: contractTarget,
  dataurl: dataUrlTarget,
  image: imageTarget,
  svg: svgTarget,
  format: formatTarget,
  template: templateTarget,
  render: renderTarget,
  draw: drawTarget,
  draft: draftTarget,
  expression: expressionTarget,
};

import * as docs from '../../../api/runs.ts';
import { uuid } from '../../../api/schema.ts';
import { json, parameter } from '../../openapi/operation.ts';

/** Parameters and responses that the descriptions of several routes of runs have. */

export const PRINT_NUMBER = parameter(
  'path',
  'n',
  { type: 'integer', minimum: 1 },
  1,
  'Number, from 1.',
);
export const RUN_ID_PARAMETER = parameter(
  'path',
  'id',
  uuid,
  docs.RUN_ID,
  'Identifier of the run.',
);

/** The response of a call that changes the state of a run. */
export const MOVED = {
  200: { description: 'The run as it is now.', content: json(docs.run, docs.EXAMPLE) },
};

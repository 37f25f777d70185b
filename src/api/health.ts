import { list, object, text, type TypeOf } from './schema.ts';

/** The state of the service, for its operators: schemas and types. They are not in /openapi.json. */

export const health = object({ status: { type: 'string', enum: ['ok'] }, installation: text });

export const readiness = object(
  {
    status: {
      type: 'string',
      enum: ['ready', 'stopping', 'no renderers', 'storage unavailable'],
    },
    reason: text,
    warnings: list(text),
  },
  ['status'],
);

export type Health = TypeOf<typeof health>;
export type Readiness = TypeOf<typeof readiness>;

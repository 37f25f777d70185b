import type { Failure, Outcome } from '../../../errors.ts';
import { fail, succeed } from '../../../errors.ts';
import type { RunRecord } from '../../../store/runs/types.ts';
import { type Secrets, secretsOf, shareTemplate } from '#engine/light';
import type { FieldDescriptor, SharedTemplate } from '#engine';
import type { GuardedCall, Services } from '../../route.ts';
import { fieldsOf } from '../fields.ts';

/** The fields of a published template. */
export async function descriptorsOf(
  services: Services,
  call: GuardedCall,
  hash: string,
  load: () => Promise<SharedTemplate>,
): Promise<Outcome<readonly FieldDescriptor[]>> {
  const listed = await fieldsOf(services, call, { hash, load });
  if (!listed.ok) return listed;
  // A renderer wrote the descriptors, so they have this shape.
  const text = Buffer.from(listed.value).toString('utf8');
  return succeed(JSON.parse(text) as readonly FieldDescriptor[]);
}

/** The secret fields of the template of a run, also when its version was withdrawn since. */
export async function secretsOfRun(
  services: Services,
  call: GuardedCall,
  { teamId, spec }: RunRecord,
): Promise<Outcome<Secrets>> {
  const { templateId, version } = spec;
  const found = await services.store.templates.version(teamId, templateId, version);
  if (found === null) throw new Error('the template version of a run is missing');
  const load = async (): Promise<SharedTemplate> =>
    shareTemplate(found.source, templateId, version);
  const fields = await descriptorsOf(services, call, found.hash, load);
  return fields.ok ? succeed(secretsOf(fields.value)) : fields;
}

/** Refuses a secret field as the id of rows, which lists, logs and the manifest show. */
export function refuseSecretId(
  fields: readonly FieldDescriptor[],
  idField: string,
): Failure | null {
  if (!secretsOf(fields).isSecret(idField)) return null;
  return fail(
    'bad_request',
    'idField: the field is secret, and lists show the ids of rows. Name another field.',
  );
}

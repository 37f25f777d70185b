import type { Failure, Outcome } from '../../../errors.ts';
import { fail, succeed } from '../../../errors.ts';
import {
  RUN_PROTECTION_SCHEMA,
  type CreateRunRequest,
  type RunProtectionRequest,
} from '../../../api/run-requests.ts';
import type { RunPassword, RunProtection } from '../../../store/runs/types.ts';
import type { FieldDescriptor } from '#engine';
import { passwordFault } from '#engine/light';
import { createValidator } from '../../body/validator.ts';
import type { Services } from '../../route.ts';

const validateProtection = createValidator(RUN_PROTECTION_SCHEMA);

const NO_KEY =
  'options.protection: the rows hold passwords, so they are stored encrypted only, and this service' +
  ' has no key. Set INTAGLIO_ENCRYPTION_KEYS or INTAGLIO_ENCRYPTION_KEYS_COMMAND.';
const PRINTS =
  'documentsPerPrint: print files have no passwords, and no document of a run with' +
  ' options.protection is stored without one. Make the print files by another run.';
const NONE = 'options.protection needs a userPassword or an ownerPassword.';

/** The options of a run apart from its protection, which are those of a single document. */
export function plainOptions({ options = {} }: CreateRunRequest): object {
  return Object.fromEntries(Object.entries(options).filter(([name]) => name !== 'protection'));
}

/** Reads `options.protection` of a run; null: it has none. */
export async function readRunProtection(
  services: Services,
  request: CreateRunRequest,
  fields: readonly FieldDescriptor[],
): Promise<Outcome<RunProtection | null>> {
  const { protection } = { protection: undefined, ...request.options };
  if (protection === undefined) return succeed(null);
  const checked = validateProtection(protection);
  if (!checked.ok) return fail('bad_request', `options.protection: ${checked.message}`);
  const { userPassword, ownerPassword, permissions = {} } = checked.value;
  const user = passwordOf(userPassword);
  const isRandom = typeof ownerPassword === 'object' && 'random' in ownerPassword;
  const owner = isRandom ? 'random' : passwordOf(ownerPassword);
  if (user === null && owner === null) return fail('bad_request', NONE);
  const refusal =
    refusePassword('userPassword', user, request, fields) ??
    refusePassword('ownerPassword', owner, request, fields);
  if (refusal !== null) return refusal;
  if (request.documentsPerPrint !== undefined) return fail('bad_request', PRINTS);
  if (services.store.fileKeys.listed().length === 0) return fail('protection_unavailable', NO_KEY);
  if (!(await services.protector.available())) return fail('protection_unavailable');
  return succeed({ user, owner, permissions });
}

function passwordOf(sent: RunProtectionRequest['userPassword']): RunPassword | null {
  if (sent === undefined) return null;
  return typeof sent === 'string' ? { text: sent, format: {} } : { format: {}, ...sent };
}

function refusePassword(
  name: string,
  password: RunProtection['owner'],
  { idField }: CreateRunRequest,
  fields: readonly FieldDescriptor[],
): Failure | null {
  if (password === 'random') return null;
  const fault = password === null ? null : passwordFault(password, fields, idField);
  return fault === null ? null : fail('bad_request', `options.protection.${name}: ${fault}.`);
}

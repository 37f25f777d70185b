import { FIELD_TYPES } from '#engine/light';
import { fieldType, localText } from '../../src/api/fields.ts';
import { signInLink } from '../../src/api/sessions.ts';
import { role } from '../../src/api/users.ts';
import { COMPONENTS } from '../../src/gateway/openapi/components.ts';
import {
  type Declaration,
  declarations,
  HEADER,
  inTypeScript,
  isOfRuns,
  runTypes,
  type Schema,
} from './client-types.ts';

/** The bodies that the Studio sends and gets. The objects in them are declared, too. */
const USED = [
  'ErrorBody',
  'Session',
  'CreateUserRequest',
  'UserList',
  'UserName',
  'CreatedKey',
  'KeyList',
  'TemplateList',
  'Template',
  'PublishedVersion',
  'DiscardedDraft',
  'DraftCheck',
  'ApprovalList',
  'FieldContract',
  'DocumentRecord',
  'DocumentPage',
  'Verification',
  'AuditPage',
  'CreateRunRequest',
  'RunList',
  'RunWithParts',
  'RunPrintList',
  'RunExceptionList',
] as const satisfies readonly (keyof typeof COMPONENTS)[];

/** Types that the Studio names, and /openapi.json does not. */
const MORE = { Role: role, FieldType: fieldType, SignInLink: signInLink };

function declared(): readonly Declaration[] {
  const used = USED.map((name): [string, Schema] => [name, COMPONENTS[name]]);
  return declarations({ ...MORE, ...Object.fromEntries(used) });
}

function isOfFields({ name }: Declaration): boolean {
  return /^Field(?!Error)/.test(name);
}

/** studio/src/api/types.ts. The Studio imports no schemas of src/. */
export function typesOfStudio(): string {
  const others = declared().filter((one) => !isOfRuns(one) && !isOfFields(one));
  return `// ${HEADER}\n\n${inTypeScript(others).others}`;
}

/** studio/src/runs/types.ts. */
export function runTypesOfStudio(): string {
  return runTypes(inTypeScript(declared()), '../api/types.ts');
}

/** studio/src/api/field-types.ts. */
export function fieldTypesOfStudio(): string {
  const { apart } = inTypeScript(declared(), isOfFields);
  const types = FIELD_TYPES.map((type) => `\n  '${type}',`).join('');
  return `// ${HEADER}

export const FIELD_TYPES = [${types}
] as const;

/** ${localText.description} */
export type LocalText = Readonly<Record<string, string>>;

${apart}`;
}

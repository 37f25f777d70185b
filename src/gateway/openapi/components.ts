import * as requests from '../../api/run-requests.ts';
import * as runs from '../../api/runs.ts';
import { fieldError } from '../../api/schema.ts';
import { ASK_SCHEMA, SEND_BACK_SCHEMA, WITHDRAW_SCHEMA } from '../body/approval-schemas.ts';
import * as bodies from '../body/schemas.ts';
import * as api from './schemas.ts';
import * as studio from './studio-schemas.ts';

const { options } = api.generateBody.properties;

/**
 * The schemas with names, which generators of clients make types of. A name stands for its schema
 * wherever that very object is used: routes and other schemas use the object itself.
 */
export const COMPONENTS = {
  ErrorBody: api.errorBody,
  ErrorCode: api.errorCode,
  FieldError: fieldError,
  EmptyBody: api.emptyBody,
  GenerateRequest: api.generateBody,
  DocumentOptions: options,
  Metadata: options.properties.metadata,
  Protection: options.properties.protection,
  Permissions: options.properties.protection.properties.permissions,
  Watermark: options.properties.watermark,
  Acknowledgement: api.acknowledgement,
  DocumentRecord: api.documentRecord,
  DocumentPage: studio.documentPage,
  DocumentSummary: studio.documentSummary,
  VerifyRequest: bodies.VERIFY_SCHEMA,
  Verification: api.verification,
  VerifiedDocument: api.verifiedDocument,
  UnstoredAnswer: api.unstoredAnswer,
  DraftAnswer: api.draftAnswer,
  FieldContract: api.fieldContract,
  Field: api.field,
  FieldFormat: api.fieldFormat,
  FieldValidation: api.fieldValidation,
  FieldPresentation: api.fieldPresentation,
  LocalText: api.localText,
  CreateRunRequest: runs.createBody,
  RunOptions: runs.runOptions,
  RunTotals: requests.RUN_TOTALS_SCHEMA,
  StartRunRequest: requests.RUN_START_SCHEMA,
  WithdrawRowsRequest: requests.RUN_WITHDRAW_SCHEMA,
  Run: runs.run,
  RunWithParts: runs.runWithParts,
  RunState: runs.runState,
  RunCounts: runs.counts,
  RunExpected: runs.expected,
  RunReason: runs.reason,
  CsvFormat: requests.CSV_SCHEMA,
  RunSource: runs.source,
  RunSourceProgress: runs.readSource,
  RunPart: runs.part,
  SentRunPart: runs.sentPart,
  RunList: runs.runList,
  RunException: runs.exception,
  RunExceptionList: runs.exceptionList,
  RunPrint: runs.print,
  RunPrintList: runs.printList,
  TemplateFile: api.templateFile,
  DataSchema: api.dataSchema,
  Template: studio.template,
  ArchivedTemplate: studio.archived,
  DiscardedDraft: studio.discarded,
  TemplateDraft: studio.draft,
  TemplateVersion: studio.templateVersion,
  TemplateSummary: api.templateSummary,
  TemplateList: api.templateList,
  Finding: api.finding,
  SavedDraft: api.draftSaved,
  DraftCheck: studio.draftCheck,
  DraftChange: studio.draftChange,
  PublishRequest: bodies.PUBLISH_SCHEMA,
  AskForApprovalRequest: ASK_SCHEMA,
  SendBackDraftRequest: SEND_BACK_SCHEMA,
  WithdrawApprovalRequest: WITHDRAW_SCHEMA,
  Approval: studio.approval,
  ListedApproval: studio.listedApproval,
  ApprovalList: studio.approvalList,
  RollBackRequest: bodies.ROLLBACK_SCHEMA,
  PublishedVersion: api.published,
  AuditPage: studio.auditPage,
  AuditRecord: studio.auditRecord,
  CreateKeyRequest: bodies.KEY_SCHEMA,
  Key: studio.key,
  CreatedKey: studio.createdKey,
  KeyList: studio.keyList,
  CreateUserRequest: bodies.NEW_USER_SCHEMA,
  SetRoleRequest: bodies.ROLE_SCHEMA,
  User: studio.user,
  UserList: studio.userList,
  Session: studio.session,
  SyncIdentitiesRequest: bodies.IDENTITIES_SCHEMA,
  Identities: api.identities,
  IdentityCounts: api.identityCounts,
  ChangeCounts: api.changeCounts,
} as const satisfies Readonly<Record<string, object>>;

const NAMES: ReadonlyMap<unknown, string> = new Map(
  Object.entries(COMPONENTS).map(([name, schema]) => [schema, name]),
);

/** The description with each named schema in it replaced by a reference to its name. */
export function refer(described: unknown): unknown {
  const name = NAMES.get(described);
  return name === undefined ? referWithin(described) : { $ref: `#/components/schemas/${name}` };
}

/** The named schemas, which refer to each other. */
export function components(): object {
  return Object.fromEntries(
    Object.entries(COMPONENTS).map(([name, schema]) => [name, referWithin(schema)]),
  );
}

function referWithin(described: unknown): unknown {
  if (Array.isArray(described)) return described.map(refer);
  if (typeof described !== 'object' || described === null) return described;
  return Object.fromEntries(Object.entries(described).map(([key, one]) => [key, refer(one)]));
}

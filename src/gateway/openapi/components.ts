import * as approvals from '../../api/approvals.ts';
import * as audit from '../../api/audit.ts';
import { generateBody } from '../../api/document-requests.ts';
import * as documents from '../../api/documents.ts';
import * as drafts from '../../api/drafts.ts';
import * as errors from '../../api/errors.ts';
import * as fields from '../../api/fields.ts';
import * as identities from '../../api/identities.ts';
import * as keys from '../../api/keys.ts';
import * as requests from '../../api/run-requests.ts';
import * as runs from '../../api/runs.ts';
import { emptyBody } from '../../api/schema.ts';
import { session } from '../../api/sessions.ts';
import * as templates from '../../api/templates.ts';
import * as users from '../../api/users.ts';
import * as verify from '../../api/verify.ts';

const { options } = generateBody.properties;

/**
 * The schemas with names, which generators of clients make types of. A name stands for its schema
 * wherever that very object is used: routes and other schemas use the object itself.
 */
export const COMPONENTS = {
  ErrorBody: errors.errorBody,
  ErrorCode: errors.errorCode,
  FieldError: errors.fieldError,
  EmptyBody: emptyBody,
  GenerateRequest: generateBody,
  DocumentOptions: options,
  Metadata: options.properties.metadata,
  Protection: options.properties.protection,
  Permissions: options.properties.protection.properties.permissions,
  Watermark: options.properties.watermark,
  Acknowledgement: documents.acknowledgement,
  DocumentRecord: documents.documentRecord,
  DocumentMaker: documents.documentMaker,
  DocumentPage: documents.documentPage,
  DocumentSummary: documents.documentSummary,
  VerifyRequest: verify.VERIFY_SCHEMA,
  Verification: verify.verification,
  VerifiedDocument: verify.verifiedDocument,
  UnstoredAnswer: verify.unstoredAnswer,
  DraftAnswer: verify.draftAnswer,
  FieldContract: fields.fieldContract,
  Field: fields.field,
  FieldFormat: fields.fieldFormat,
  FieldValidation: fields.fieldValidation,
  FieldPresentation: fields.fieldPresentation,
  LocalText: fields.localText,
  CreateRunRequest: runs.createBody,
  RunOptions: runs.runOptions,
  RunPassword: requests.RUN_PASSWORD,
  RunOwnerPassword: requests.RUN_OWNER_PASSWORD,
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
  TemplateFile: drafts.templateFile,
  DataSchema: fields.dataSchema,
  Template: templates.template,
  ArchivedTemplate: templates.archived,
  DiscardedDraft: drafts.discarded,
  TemplateDraft: drafts.draft,
  TemplateVersion: templates.templateVersion,
  TemplateSummary: templates.templateSummary,
  TemplateList: templates.templateList,
  Finding: drafts.finding,
  SavedDraft: drafts.draftSaved,
  DraftCheck: drafts.draftCheck,
  DraftChange: drafts.draftChange,
  PublishRequest: templates.PUBLISH_SCHEMA,
  AskForApprovalRequest: approvals.ASK_SCHEMA,
  SendBackDraftRequest: approvals.SEND_BACK_SCHEMA,
  WithdrawApprovalRequest: approvals.WITHDRAW_SCHEMA,
  Approval: approvals.approval,
  ListedApproval: approvals.listedApproval,
  ApprovalList: approvals.approvalList,
  RollBackRequest: templates.ROLLBACK_SCHEMA,
  PublishedVersion: templates.published,
  AuditPage: audit.auditPage,
  AuditRecord: audit.auditRecord,
  CreateKeyRequest: keys.KEY_SCHEMA,
  Key: keys.key,
  CreatedKey: keys.createdKey,
  KeyList: keys.keyList,
  CreateUserRequest: users.NEW_USER_SCHEMA,
  SetRoleRequest: users.ROLE_SCHEMA,
  User: users.user,
  UserList: users.userList,
  UserName: users.userName,
  UserNameList: users.userNameList,
  Session: session,
  SyncIdentitiesRequest: identities.IDENTITIES_SCHEMA,
  Identities: identities.identities,
  IdentityCounts: identities.identityCounts,
  ChangeCounts: identities.changeCounts,
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

import type { Approval } from '../approvals/api.ts';
import type { FieldType } from './field-types.ts';

/** Request and response bodies of the service, as /openapi.json describes them. */

export type Role = 'Editor' | 'Admin' | 'Viewer';

export interface Session {
  readonly userId: string;
  readonly displayName: string;
  readonly teamId: string;
  readonly role: Role;
  readonly expiresAt: string;
  readonly publishApprovals: boolean;
}

/** A user of the team. */
export interface User {
  readonly userId: string;
  readonly displayName: string;
  readonly email: string;
  readonly role: Role;
  readonly active: boolean;
  /** null: never since this is recorded. */
  readonly lastSignInAt: string | null;
}

export interface TemplateSummary {
  readonly templateId: string;
  readonly name: string;
  readonly latestVersion: number | null;
  readonly hasDraft: boolean;
  readonly updatedAt: string;
  readonly archivedAt: string | null;
}

export interface VersionSummary {
  readonly version: number;
  readonly hash: string;
  readonly bytes: number;
  readonly publishedAt: string;
  readonly publishedBy: string;
  readonly withdrawnAt: string | null;
  /** Why it was published; '' when nobody said. */
  readonly note: string;
  /** Who wrote it; empty when it was not recorded. */
  readonly authors: readonly string[];
}

export interface DraftState {
  readonly hash: string;
  readonly version: number;
  readonly savedBy: string;
  /** Who changed the draft since the last version. */
  readonly contributors: readonly string[];
  readonly savedAt: string;
}

export interface TemplateState {
  readonly templateId: string;
  readonly name: string;
  readonly latestVersion: number | null;
  readonly updatedAt: string;
  readonly archivedAt: string | null;
  readonly draft: DraftState | null;
  /** The last request for approval, while there is a draft. */
  readonly approval: Approval | null;
  readonly versions: readonly VersionSummary[];
}

export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly path: string;
  readonly message: string;
  /** Counted from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** How a template asks people for a field: `format.presentation` of field discovery. */
export interface Presentation {
  readonly label?: LocalText;
  readonly help?: LocalText;
  readonly group?: LocalText;
  readonly example?: LocalText;
  /** Labels of `validation.choices`, by value. */
  readonly choices?: Readonly<Record<string, LocalText>>;
  /** Headings of a table. */
  readonly columns?: readonly LocalText[];
}

/** A text by language tag. */
export type LocalText = Readonly<Record<string, string>>;

/** The keys of a field's format and validation that the Studio reads; both have more. */
export interface FieldFormat {
  readonly mask?: string;
  readonly presentation?: Presentation;
}

export interface FieldValidation {
  readonly min?: string | number;
  readonly max?: string | number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly choices?: readonly string[];
}

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly format?: FieldFormat;
  readonly validation?: FieldValidation;
}

export interface FieldContract {
  readonly templateId: string;
  readonly version: number;
  readonly status: 'draft' | 'published';
  readonly fields: readonly Field[];
}

export type Data = Readonly<Record<string, unknown>>;

export interface Sample {
  readonly name?: string;
  readonly data: Data;
}

export interface StoredDocument {
  readonly documentId: string;
  readonly templateId: string;
  readonly version: number;
  readonly sha256: string;
  readonly bytes?: number;
  readonly pages?: number;
  readonly protected?: boolean;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly available?: boolean;
  /** Only if its template keeps it as a text. */
  readonly reference?: string;
  readonly fileName?: string;
}

export interface AuditRecord {
  readonly auditId: string;
  readonly at: string;
  readonly requestId: string;
  readonly principal: string;
  readonly action: string;
  readonly outcome: 'succeeded' | 'failed' | 'denied';
  readonly code: string;
  readonly templateId: string;
  readonly version: number | null;
  readonly documentId: string;
  readonly mode: string;
  readonly pages: number | null;
  readonly bytes: number | null;
  readonly durationMs: number | null;
  readonly sha256: string;
  readonly signer: string;
  readonly certificateSerial: string;
  readonly draft: boolean;
  readonly contributors: readonly string[];
  readonly detail: string;
}

export interface Key {
  readonly keyId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly rateLimitPerMinute: number | null;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

/** A change of the template between the version in use and the draft. */
export interface TemplateChange {
  readonly id: string;
  /** JSON path; '' for the whole file. */
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly before: string;
  readonly after: string;
  /** The new text if it is printed as it stands; '' otherwise. */
  readonly words: string;
  readonly line: number | null;
  readonly lineBefore: number | null;
}

export interface Verification {
  readonly issued: boolean;
  readonly documents: readonly StoredDocument[];
  readonly madeHere: readonly {
    readonly at: string;
    readonly requestId: string;
    readonly templateId: string;
    readonly version: number;
  }[];
  /** Previews of drafts, which were made from no published version. */
  readonly drafts: readonly {
    readonly at: string;
    readonly requestId: string;
    readonly templateId: string;
  }[];
}

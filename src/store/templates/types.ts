import type { NewAudit } from '../audit.ts';
import type { Found, ListPage, TemplateName } from '../terms.ts';

/** Whether a version can still be edited. */
export type TemplateStatus = 'draft' | 'published';

/** A draft or a published version, with its source. */
export interface TemplateVersion {
  readonly teamId: string;
  readonly templateId: string;
  /** For a draft, the number that it would get. */
  readonly version: number;
  readonly status: TemplateStatus;
  /** Lowercase hex SHA-256 of the source. */
  readonly hash: string;
  /** The template file, UTF-8 JSON. */
  readonly source: Uint8Array;
}

/** Hash of a draft, and the version number that it would get. */
export interface DraftHash {
  readonly hash: string;
  readonly version: number;
}

/** Narrows a list of templates. */
export interface TemplateSearch {
  /** Part of the identifier or the name, in upper or lower case; '' for all. */
  readonly text: string;
  /** Selects the template with exactly this identifier, archived or not, whatever else is asked. */
  readonly templateId?: string | undefined;
  /** Selects only templates that have a version in use. */
  readonly isPublished: boolean;
  /** Selects only archived templates; otherwise only the others. */
  readonly isArchived?: boolean;
}

/** A template in a list. */
export interface TemplateSummary {
  readonly templateId: string;
  readonly name: string;
  /** The version that is used when the caller names none; null: no version is in use. */
  readonly latestVersion: number | null;
  readonly hasDraft: boolean;
  readonly updatedAtMs: number;
  readonly archivedAtMs: number | null;
}

/** A draft without its source. Names are `user:<userId>` or `command:<account>`. */
export interface DraftState extends DraftHash {
  readonly name: string;
  /** Who saved it last; '' when it was not recorded. */
  readonly savedBy: string;
  /** Who changed it since the last version, in alphabetical order. */
  readonly contributors: readonly string[];
}

/** A template without its sources. */
export interface TemplateState {
  readonly name: string;
  readonly latestVersion: number | null;
  readonly updatedAtMs: number;
  /** null: it is not archived. */
  readonly archivedAtMs: number | null;
  readonly draft: DraftState | null;
}

/** One published version in a template's history. */
export interface VersionSummary {
  readonly version: number;
  readonly hash: string;
  readonly bytes: number;
  readonly publishedAtMs: number;
  /** `user:<userId>` or `command:<account>`; '' when it was not recorded. */
  readonly publishedBy: string;
  /** null: the version can be used. */
  readonly unpublishedAtMs: number | null;
  /** Why it was published; '' when nobody said. */
  readonly note: string;
  /** Authors of the version, in alphabetical order; empty: not recorded. */
  readonly authors: readonly string[];
}

/** The version that came into use; null: nothing changed. */
export type Published = { readonly version: number } | null;

/** The published draft, who contributed to it, and the note that its version got. */
export type PublishedDraft = {
  readonly version: number;
  readonly contributors: readonly string[];
  readonly note: string;
  /** Who had sent it, or an earlier text of it, back, and was overruled; absent: nobody. */
  readonly overruled?: string;
} | null;

/** Conditions of a publication, and its note. */
export interface PublicationRules {
  /** Hash that the version in use must have; null: there must be none; absent: any or none. */
  readonly replaces?: string | null | undefined;
  /** Why it is published; absent: the note of the request for approval, if there is one. */
  readonly note?: string | undefined;
  /** Only somebody who did not contribute to the draft may publish it. Absent: anybody may. */
  readonly isOther?: boolean;
  /** A user must be an active Admin of the team at that moment. Absent: it is not examined. */
  readonly demandsAdmin?: boolean;
}

/**
 * Why a draft was not published: the publisher contributed to it, it was sent back and nobody has asked
 * again, or the publisher is no longer an Admin.
 */
export type PublicationRefusal = 'contributed' | 'sent_back' | 'role_lost';

/** Templates of the teams: one draft each, and numbered published versions. */
export interface TemplateStore {
  /** Without archived templates, unless only those are asked for. */
  list(teamId: string, isArchived?: boolean): Promise<readonly TemplateSummary[]>;
  /**
   * A part of `list` after the template `after`, '' for the start. A page of a search may be
   * short though more follow: a call scans at most 5,000 templates.
   */
  page(
    teamId: string,
    after: string,
    countMax: number,
    search?: TemplateSearch,
  ): Promise<ListPage<TemplateSummary>>;
  /** A published version of a template in use; `version` null selects the latest. */
  published(
    teamId: string,
    templateId: string,
    version: number | null,
  ): Promise<Found<TemplateVersion>>;
  draft(teamId: string, templateId: string): Promise<Found<TemplateVersion>>;
  /** Hash of the draft and the version number that it would get, without reading its source. */
  draftHash(teamId: string, templateId: string): Promise<Found<DraftHash>>;
  find(teamId: string, templateId: string): Promise<Found<TemplateState>>;
  /**
   * Saves a draft. With `replaces`, a hash or null for no draft, it returns false and changes
   * nothing unless that is the present draft.
   */
  saveDraft(
    teamId: string,
    templateId: string,
    name: string,
    source: Uint8Array,
    saving?: DraftSaving,
  ): Promise<boolean>;
  /** Removes a draft, and with it a template that was never published. */
  discardDraft(discarding: Discarding): Promise<Remains | DiscardingRefusal>;
  /** Field descriptors of a source, a JSON array in UTF-8; null: not stored, compute them. */
  fields(hash: string): Promise<Uint8Array | null>;
  /** Stores them for `fields`; they are removed after a month, or with their draft. */
  keepFields(hash: string, fields: Uint8Array): Promise<void>;
  /**
   * Publishes the draft with this hash as the next version; null: the draft has another hash by now.
   */
  publish(
    teamId: string,
    templateId: string,
    hash: string,
    by?: string,
    /** When given and not equal to `publishedHash`, nothing is published: the result is null. */
    replaces?: string | null,
  ): Promise<PublishedDraft>;
  /** The same, unless a rule forbids it: then nothing is published. */
  publishByRules(
    teamId: string,
    templateId: string,
    hash: string,
    by: string,
    rules: PublicationRules,
  ): Promise<PublishedDraft | PublicationRefusal>;
  /** Hash of the newest version in use; null: no version is in use. */
  publishedHash(teamId: string, templateId: string): Promise<string | null>;
  /** Every published version, the newest first; empty for an unknown template. */
  history(teamId: string, templateId: string): Promise<readonly VersionSummary[]>;
  /** A published version, also one that was unpublished. */
  version(teamId: string, templateId: string, version: number): Promise<TemplateVersion | null>;
  /** Publishes the source of `version` as the next version; null: `version` does not exist. */
  rollBack(
    teamId: string,
    templateId: string,
    version: number,
    by: string,
    /** Why; kept with the version. */
    note?: string,
  ): Promise<Published>;
  /** Archives a template or ends that: versions stay, but no new document is made from them. */
  setArchived(archiving: Archiving): Promise<ArchivingResult>;
  /** Bars a version from new documents; false: it was not published. */
  unpublish(teamId: string, templateId: string, version: number): Promise<boolean>;
}

/** Options of saving a draft. */
export interface DraftSaving {
  /** Names the editor, as audit records do. */
  readonly by?: string;
  /** Hash of the draft that must be there; null: there must be none; undefined: any or none. */
  readonly replaces?: string | null | undefined;
  /** Field descriptors of the source, stored as by `keepFields`. */
  readonly fields?: Uint8Array;
  readonly audit?: NewAudit;
  /** The record of the preview rendered with the save; it gets the version of the draft. */
  readonly preview?: NewAudit | undefined;
}

/** Archiving a template, or ending that. */
export interface Archiving extends TemplateName {
  readonly isArchived: boolean;
  /** `user:<userId>` must be an Admin of the team still; commands have no role. */
  readonly by: string;
  /** Written with it, unless the template is so already. */
  readonly audit: NewAudit;
}

export type ArchivingResult = 'done' | 'absent' | 'role_lost';

/** Discarding a draft. */
export interface Discarding extends TemplateName {
  /** Hash of the draft that is to go: a newer one stays. */
  readonly draft: string;
  /** `user:<userId>` must be an Editor or Admin of the team still; commands have no role. */
  readonly by: string;
  readonly audit: NewAudit;
}

/** What is left: the template with its versions, or nothing, because it never had one. */
export type Remains = 'versions' | 'nothing';

/** `changed`: the template has another draft by now, or none. */
export type DiscardingRefusal = 'absent' | 'changed' | 'role_lost';

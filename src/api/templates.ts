import { approval, APPROVAL_EXAMPLE, NOTE_TEXT } from './approvals.ts';
import { SHA256 } from './documents.ts';
import { draft } from './drafts.ts';
import {
  count,
  digest,
  flag,
  list,
  next,
  object,
  text,
  time,
  timeOrNull,
  type TypeOf,
  version,
} from './schema.ts';

/** Templates and their published versions: schemas, types and examples. */

export const PUBLISH_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    note: {
      ...NOTE_TEXT,
      description:
        'Why, kept with the version. When left out, it is the note of the request for approval.',
    },
    compared: {
      type: 'object',
      additionalProperties: false,
      required: ['draft', 'published'],
      description:
        'What the publisher has compared. Required once a version of the template is published.',
      properties: {
        draft: { ...digest, description: 'Hash of the draft, as getTemplate tells it.' },
        published: {
          ...digest,
          type: ['string', 'null'],
          description: 'Hash of the latest version in use; null: no version is in use.',
        },
        changes: {
          type: 'array',
          maxItems: 1_000,
          items: { type: 'string', maxLength: 16 },
          description:
            'The id of each change that checkDraft lists: the publisher has seen it. Required where ' +
            'publishing takes two people.',
        },
      },
    },
  },
} as const;

export const ROLLBACK_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['version'],
  properties: {
    version: {
      type: 'integer',
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'The version whose content is published again.',
    },
    note: { ...NOTE_TEXT, description: 'Why, kept with the new version.' },
  },
} as const;

const latestVersion = {
  type: ['integer', 'null'],
  description: 'null: nothing is published.',
} as const;
const archivedAt = { ...timeOrNull, description: 'null: it is in use.' } as const;

export const templateSummary = object({
  templateId: text,
  name: text,
  latestVersion,
  hasDraft: flag,
  updatedAt: time,
  archivedAt,
});
export const templateList = object({ templates: list(templateSummary), next });

export const templateVersion = object({
  version,
  hash: digest,
  bytes: count,
  publishedAt: time,
  publishedBy: text,
  withdrawnAt: timeOrNull,
  note: { ...text, description: 'Why it was published; empty: nobody said.' },
  authors: { ...list(text), description: 'Who wrote it; empty: not recorded.' },
});

export const template = object({
  templateId: text,
  name: text,
  latestVersion,
  updatedAt: time,
  archivedAt,
  draft: { oneOf: [draft, { type: 'null' }] },
  approval: {
    oneOf: [approval, { type: 'null' }],
    description: 'The last request for approval, while there is a draft; null: none.',
  },
  versions: list(templateVersion),
});

export const published = object({ templateId: text, version });
export const archived = object({ templateId: text, archived: flag });

export type PublishRequest = TypeOf<typeof PUBLISH_SCHEMA>;
export type TemplateList = TypeOf<typeof templateList>;
export type TemplateVersion = TypeOf<typeof templateVersion>;
export type Template = TypeOf<typeof template>;
export type PublishedVersion = TypeOf<typeof published>;
export type ArchivedTemplate = TypeOf<typeof archived>;

const AT = '2026-11-22T03:04:05.678Z';
const NAMED = { templateId: 'receipt', name: 'ใบเสร็จรับเงิน', latestVersion: 3 } as const;

export const TEMPLATES_EXAMPLE = {
  templates: [{ ...NAMED, hasDraft: false, updatedAt: AT, archivedAt: null }],
  next: null,
} satisfies TemplateList;
export const TEMPLATE_EXAMPLE = {
  ...NAMED,
  updatedAt: AT,
  archivedAt: null,
  draft: {
    name: NAMED.name,
    hash: SHA256,
    version: 4,
    savedBy: 'user:somchai',
    savedAt: AT,
    contributors: ['user:mali', 'user:somchai'],
    hasApprover: true,
  },
  approval: APPROVAL_EXAMPLE,
  versions: [
    {
      version: 3,
      hash: SHA256,
      bytes: 37_168,
      publishedAt: AT,
      publishedBy: 'user:anong',
      withdrawnAt: null,
      note: 'The tax rate of 2026.',
      authors: ['user:mali'],
    },
  ],
} satisfies Template;
export const PUBLISHED_EXAMPLE = { templateId: 'note', version: 1 } satisfies PublishedVersion;
export const ARCHIVED_EXAMPLE = {
  templateId: 'receipt',
  archived: true,
} satisfies ArchivedTemplate;

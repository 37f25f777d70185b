import { SHA256 } from './documents.ts';
import { count, digest, flag, list, object, text, time, type TypeOf, version } from './schema.ts';

/** Drafts of templates, and what a check finds in them: schemas, types and examples. */

/** docs/templates.md describes it, and its JSON schema is made from the same vocabulary. */
export const templateFile = {
  type: 'object',
  additionalProperties: true,
  description: 'A template file.',
} as const;

export const hasApprover = {
  ...flag,
  description:
    'Whether an active Admin of the team may publish it. Where INTAGLIO_PUBLISH_APPROVALS is on, who ' +
    'changed the draft may not. Admins whom only the identity provider knows do not count.',
} as const;

export const draft = object({
  name: { ...text, description: 'Its name, which the template takes when it is published.' },
  hash: digest,
  version,
  savedBy: text,
  savedAt: time,
  contributors: { ...list(text), description: 'Who changed it since the last version.' },
  hasApprover,
});

const position = { type: 'integer', minimum: 1 } as const;
export const finding = object(
  {
    severity: { type: 'string', enum: ['error', 'warning'] },
    path: text,
    message: text,
    line: { ...position, description: 'Line in the file; absent: it is about the whole file.' },
    column: { ...position, description: 'Column in that line.' },
    sample: {
      ...text,
      description: 'The sample whose pages show it; absent: it was found without rendering.',
    },
  },
  ['severity', 'path', 'message'],
);
const findings = list(finding);

export const draftSaved = object({
  templateId: text,
  status: { type: 'string', enum: ['draft'] },
  findings,
});

export const draftChange = object({
  id: { ...text, description: 'Confirms the change in publishTemplate.' },
  path: { ...text, description: 'JSON path; empty: the whole file is new.' },
  change: { type: 'string', enum: ['added', 'removed', 'changed'] },
  before: { ...text, description: 'The value as JSON, shortened; empty: none.' },
  after: text,
  words: { ...text, description: 'The new text, if it is printed as it stands; else empty.' },
  line: { type: ['integer', 'null'], description: 'Line in the draft.' },
  lineBefore: { type: ['integer', 'null'], description: 'Line in the version in use.' },
});

export const draftCheck = object({
  templateId: text,
  version,
  findings,
  samples: list(object({ name: text, pages: count })),
  published: { type: ['string', 'null'], description: 'Hash of the version in use; null: none.' },
  changes: list(draftChange),
});

export const discarded = object({
  templateId: text,
  removed: {
    ...flag,
    description: 'The template was never published, so nothing is left of it.',
  },
});

export type TemplateFile = TypeOf<typeof templateFile>;
export type SavedDraft = TypeOf<typeof draftSaved>;
export type DraftCheck = TypeOf<typeof draftCheck>;
export type DiscardedDraft = TypeOf<typeof discarded>;

export const TEMPLATE_FILE_EXAMPLE = {
  templateId: 'note',
  name: 'Note',
  language: 'en',
  fields: [{ name: 'text', type: 'text', required: true }],
  document: { content: [{ text: '{{text}}' }] },
} satisfies TemplateFile;
export const SAVED_DRAFT_EXAMPLE = {
  templateId: 'note',
  status: 'draft',
  findings: [
    { severity: 'warning', path: 'fields[0]', message: 'note is declared, but not used.' },
  ],
} satisfies SavedDraft;
export const DRAFT_CHECK_EXAMPLE = {
  templateId: 'receipt',
  version: 4,
  findings: [],
  samples: [{ name: 'one item', pages: 1 }],
  published: SHA256,
  changes: [
    {
      id: '9f86d081884c7d65',
      path: 'document.content[3].text',
      change: 'changed',
      before: '"Thank you"',
      after: '"Thank you very much"',
      words: 'Thank you very much',
      line: 31,
      lineBefore: 31,
    },
  ],
} satisfies DraftCheck;
export const DISCARDED_EXAMPLE = { templateId: 'note', removed: true } satisfies DiscardedDraft;

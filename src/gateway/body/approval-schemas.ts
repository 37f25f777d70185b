import { NOTE_CHARACTERS_MAX } from '../../store/store.ts';

/** Schemas of what people send about drafts and versions: requests, decisions and their reasons. */

/** A SHA-256 in lowercase hexadecimal digits. */
export const HASH = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;

/** Texts of several lines. */
const NOTE_PATTERN = '^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]*$';

export const NOTE_TEXT = {
  type: 'string',
  maxLength: NOTE_CHARACTERS_MAX,
  pattern: NOTE_PATTERN,
} as const;

const seenDraft = { ...HASH, description: 'Hash of the draft, as getTemplate tells it.' } as const;

export const ASK_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['draft'],
  properties: {
    draft: seenDraft,
    note: { ...NOTE_TEXT, description: 'What was changed and why. No personal data.' },
  },
} as const;

export const SEND_BACK_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['draft', 'comment'],
  properties: {
    draft: seenDraft,
    comment: {
      ...NOTE_TEXT,
      pattern: `^(?=[^]*\\S)${NOTE_PATTERN.slice(1)}`,
      description: 'What the authors have to change. No personal data.',
    },
  },
} as const;

export const WITHDRAW_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['draft'],
  properties: { draft: seenDraft },
} as const;

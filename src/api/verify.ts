import { DOCUMENT_EXAMPLE, naming, SHA256 } from './documents.ts';
import { REQUEST_ID } from './errors.ts';
import {
  digest,
  flag,
  keysOf,
  list,
  object,
  text,
  time,
  type TypeOf,
  uuid,
  version,
} from './schema.ts';

/** Whether a file was issued: the request, the response and their examples. */

/** It validates the bodies and is part of /openapi.json. */
export const VERIFY_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    sha256: {
      type: 'string',
      pattern: '^[0-9a-fA-F]{64}$',
      description: 'Hexadecimal SHA-256 of the file.',
    },
    reference: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'The reference that is printed on the document. If no document has it as written, it is ' +
        'tried in capitals.',
    },
  },
} as const;

const available = {
  ...flag,
  description: 'false: it has expired and its file is gone, or its file is damaged or lost.',
} as const;
const ofDocument = {
  documentId: uuid,
  templateId: text,
  version,
  createdAt: time,
  expiresAt: time,
  available,
} as const;
export const verifiedDocument = object({ ...ofDocument, ...naming }, keysOf(ofDocument));
export const unstoredAnswer = object({ at: time, requestId: text, templateId: text, version });
export const draftAnswer = object({ at: time, requestId: text, templateId: text });
export const verification = object(
  {
    issued: {
      ...flag,
      description:
        "A stored document of the caller's team has these bytes, or this reference. false for a " +
        'reference does not prove that none was issued: the reference of a document is forgotten when ' +
        'the document expires. Its file can still be verified.',
    },
    sha256: digest,
    reference: {
      ...text,
      description: 'The reference that was asked for; in capitals if only these were found.',
    },
    ...ofDocument,
    documents: {
      ...list(verifiedDocument),
      description:
        'Every such document, at most 20: the oldest first, by reference the newest. The members above ' +
        'are those of the first, without its reference and file name.',
    },
    madeHere: {
      ...list(unstoredAnswer),
      description: 'Responses in mode sync with these bytes, which were not stored, at most 20.',
    },
    drafts: {
      ...list(draftAnswer),
      description: 'Previews of drafts with these bytes. They were made from no published version.',
    },
  },
  ['issued', 'documents', 'madeHere', 'drafts'],
);

/** The schema makes one of its members required. */
export type VerifyRequest = TypeOf<typeof VERIFY_SCHEMA>;
export type VerifiedDocument = TypeOf<typeof verifiedDocument>;
export type Verification = TypeOf<typeof verification>;

const { documentId, templateId, createdAt, expiresAt } = DOCUMENT_EXAMPLE;
const DOCUMENT = {
  documentId,
  templateId,
  version: 3,
  createdAt,
  expiresAt,
  available: true,
} satisfies VerifiedDocument;

export const VERIFY_EXAMPLE = { sha256: SHA256 } satisfies VerifyRequest;
export const VERIFICATION_EXAMPLE = {
  issued: true,
  sha256: SHA256,
  ...DOCUMENT,
  documents: [DOCUMENT],
  madeHere: [{ at: createdAt, requestId: REQUEST_ID, templateId, version: 3 }],
  drafts: [],
} satisfies Verification;

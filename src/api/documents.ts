import { RATE_HEADERS } from './errors.ts';
import {
  count,
  digest,
  flag,
  keysOf,
  list,
  next,
  object,
  text,
  time,
  type TypeOf,
  url,
  uuid,
  version,
} from './schema.ts';

/** Documents as responses show them: schemas, types and examples. */

const link = {
  ...url,
  description: 'Fresh, time-limited link. Keep the documentId, not the link.',
} as const;

export const acknowledgement = object({
  documentId: uuid,
  url: link,
  sha256: digest,
  expiresAt: time,
});

/** Members of a document whose template declares them. */
export const naming = {
  reference: { ...text, description: 'Its reference, if the template keeps it as a text.' },
  fileName: { ...text, description: 'The name of its file, if the template declares one.' },
} as const;

const ofRecord = {
  documentId: uuid,
  templateId: text,
  version,
  sha256: digest,
  createdAt: time,
  expiresAt: time,
  url: link,
} as const;
export const documentMaker = {
  ...object(
    {
      principal: { ...text, description: 'user:<userId> or key:<keyId>; of a run, its creator.' },
      name: { ...text, description: 'Displayed name of the user, or name of the key.' },
      runId: { ...uuid, description: 'The run that made the document.' },
    },
    ['principal'],
  ),
  description:
    'The maker of the document, where the audit has it. Only users of the Studio receive it.',
} as const;

export const documentRecord = object(
  { ...ofRecord, ...naming, madeBy: documentMaker },
  keysOf(ofRecord),
);

const ofSummary = {
  documentId: uuid,
  templateId: text,
  version,
  sha256: digest,
  bytes: count,
  pages: count,
  protected: flag,
  createdAt: time,
  expiresAt: time,
  available: { ...flag, description: 'false: expired, or its file is damaged or lost.' },
} as const;
export const documentSummary = object({ ...ofSummary, ...naming }, keysOf(ofSummary));

export const documentPage = object({ documents: list(documentSummary), next });

export type Acknowledgement = TypeOf<typeof acknowledgement>;
export type DocumentNaming = Pick<DocumentRecord, keyof typeof naming>;
export type DocumentMaker = TypeOf<typeof documentMaker>;
export type DocumentRecord = TypeOf<typeof documentRecord>;
export type DocumentSummary = TypeOf<typeof documentSummary>;
export type DocumentPage = TypeOf<typeof documentPage>;

/** Headers of a response that brings a new document. */
export const DOCUMENT_HEADERS = {
  ...RATE_HEADERS,
  'X-Intaglio-Missing-Characters': {
    description: 'Characters of the data that no font has; absent when there are none.',
    schema: { type: 'integer', minimum: 1 },
    example: 3,
  },
};

export const DOCUMENT_ID = '0192f3a4-5b6c-7d8e-9f00-112233445566';
export const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
/** The last part of the link below. */
export const LINK_TOKEN = '0192f3a4-5b6c.mb3x8k1c.5f2c';
const LINK = `https://documents.bank.example/v1/files/${LINK_TOKEN}`;

export const ACKNOWLEDGEMENT_EXAMPLE = {
  documentId: DOCUMENT_ID,
  url: LINK,
  sha256: SHA256,
  expiresAt: '2026-12-22T03:04:05.678Z',
} satisfies Acknowledgement;
export const DOCUMENT_EXAMPLE = {
  documentId: DOCUMENT_ID,
  templateId: 'receipt',
  version: 3,
  sha256: SHA256,
  createdAt: '2026-11-22T03:04:05.678Z',
  expiresAt: '2026-12-22T03:04:05.678Z',
  url: LINK,
} satisfies DocumentRecord;
export const DOCUMENT_PAGE_EXAMPLE = {
  documents: [
    {
      documentId: DOCUMENT_ID,
      templateId: 'receipt',
      version: 3,
      sha256: SHA256,
      bytes: 31_482,
      pages: 1,
      protected: false,
      createdAt: '2026-11-22T03:04:05.678Z',
      expiresAt: '2026-12-22T03:04:05.678Z',
      available: true,
    },
  ],
  next: null,
} satisfies DocumentPage;

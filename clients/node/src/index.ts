export { Intaglio, type DocumentRequest, type IdentitySync, type StoreOptions } from './client.ts';
export {
  BadAnswerError,
  DigestError,
  FileError,
  IntaglioError,
  InvalidDataError,
  NoAnswerError,
  NoDocumentError,
  NotFiniteError,
  ServiceError,
} from './errors.ts';
export { OPERATIONS, type OperationId } from './operations.ts';
export type { Pdf, WrittenFile } from './pdf-file.ts';
export type {
  ManifestRow,
  PrintIndexRow,
  RowOutcome,
  RunRowAddress,
  RunRows,
  Runs,
} from './runs.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
export type * from './types.ts';

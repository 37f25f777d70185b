export { Intaglio, type DocumentRequest, type IdentitySync, type StoreOptions } from './client.ts';
export {
  BadAnswerError,
  CancelledError,
  DigestError,
  FileError,
  IntaglioError,
  InvalidArgumentError,
  InvalidDataError,
  NoAnswerError,
  NoDocumentError,
  NotFiniteError,
  ServiceError,
  serviceError,
} from './errors.ts';
export { OPERATIONS, type OperationId } from './operations.ts';
export type { Pdf, WrittenFile } from './pdf-file.ts';
export { isUnderWay, isUnstarted } from './runs.ts';
export type {
  ExceptionFilter,
  ManifestRow,
  PrintIndexRow,
  RowOutcome,
  RunException,
  RunRowAddress,
  RunRows,
  Runs,
  Uploaded,
} from './runs.ts';
export type {
  CallOptions,
  ClientOptions,
  Clock,
  Dispatcher,
  FileOptions,
  KeyRate,
  Outage,
  Refusals,
  TlsOptions,
} from './options.ts';
export type * from './types.ts';

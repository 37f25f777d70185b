/**
 * The only way into the engine. Its types may be imported everywhere; loading its values loads every
 * stage, 280 modules, so only threads and commands that render do that. The main thread, which sends
 * jobs and never runs one, has `light.ts` for the few values that it needs.
 */
export { createEngine, createPooledEngine } from './engine.ts';
export type { Engine, EngineSettings } from './engine.ts';
export type {
  CheckedRow,
  CheckedRows,
  CheckJob,
  CheckResult,
  CheckRowsJob,
  Finding,
  Job,
  MetadataOption,
  Permissions,
  PrintedRows,
  PrintRowsJob,
  PrintState,
  Protection,
  RenderedDocument,
  RenderedRow,
  RenderedRows,
  RenderJob,
  RenderResult,
  RenderRowsJob,
  RowsJob,
  RowsResult,
  SharedTemplate,
  SignaturePlace,
  SignatureRequest,
  StageTimes,
  TemplateChange,
  TemplateLabel,
  WarmJob,
  WatermarkOption,
} from './job.ts';
export type { FieldDescriptor, FieldType, PlainType } from './contract/types.ts';
export type { FontLibrary } from './font/font.ts';
export type { LetterheadPage } from './model/letterhead.ts';
export type { CleanedPdf } from './letterhead/clean-foreign.ts';
export type { FormField } from './letterhead/form-field.ts';
export type { CsvHeader } from './rows/csv.ts';
export type { Passwords, PasswordText, RowPasswords } from './contract/format/passwords.ts';

/** What `intaglio/engine` offers programs that embed the engine (docs/engine.md). */
export { createEngine } from './engine.ts';
export { createDecodeCells } from './image/decode-budget.ts';
export { renderJob, shareTemplate } from './make-job.ts';
export type {
  CheckedRow,
  CheckedRows,
  CheckJob,
  CheckResult,
  CheckRowsJob,
  CleanedPdf,
  CsvHeader,
  Engine,
  EngineSettings,
  FieldDescriptor,
  FieldType,
  Finding,
  FontLibrary,
  FormField,
  LetterheadPage,
  MetadataOption,
  PrintedRows,
  PrintRowsJob,
  PrintState,
  RenderedDocument,
  RenderedRow,
  RenderedRows,
  RenderJob,
  RenderResult,
  RenderRowsJob,
  SharedTemplate,
  SignaturePlace,
  SignatureRequest,
  StageTimes,
  TemplateChange,
  TemplateLabel,
  WatermarkOption,
} from './index.ts';
export type { ErrorCode, Failure, FieldDefect } from '../errors.ts';

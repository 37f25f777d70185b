/** What `intaglio/engine` offers programs that embed the engine (docs/engine.md). */
export { createEngine } from './engine.ts';
export type * from './index.ts';
export { createDecodeCells } from './image/decode-budget.ts';
export { renderJob, shareTemplate } from './make-job.ts';
export type { ErrorCode, Failure, FieldDefect } from '../errors.ts';

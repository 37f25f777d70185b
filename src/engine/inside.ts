/**
 * The classes that a document passes through, for the bench that shows which node of a template takes
 * the time: it replaces their methods by ones that read a clock, in a process of its own. The service
 * never loads this file.
 */
export { StageClock } from './document.ts';
export { Plan } from './layout/box/plan.ts';
export { Flow } from './layout/place/flow.ts';
export { Sheet } from './layout/place/sheet.ts';
export type { Item } from './model/frame.ts';
export { contentSink } from './pdf/document.ts';
export { Deflater } from './pdf/deflate/deflater.ts';
export { Painter } from './pdf/painter.ts';

import type { Operation } from './description.ts';
import { exampleBody } from './description.ts';

/** A call of a method that the packages for Node, Python and Java share. */
export interface ClientCall {
  /** Its path in camel case, such as `runs.get`; Python has it in snake case. */
  readonly method: string;
  /** Texts and numbers; languages write the arguments of other calls by themselves. */
  readonly args: readonly (string | number)[];
  readonly gives: 'record' | 'list' | 'rows' | 'file';
}

/** The examples of the description that a call is made of. */
interface Examples {
  /** Of the parameters in the path, in their order. */
  readonly places: readonly (string | number)[];
  readonly origin: string;
  readonly sha256: string;
}

type Maker = (examples: Examples) => Omit<ClientCall, 'gives'>;

function at(method: string): Maker {
  return ({ places }) => ({ method, args: places });
}

function saved(method: string, file: string): Maker {
  return ({ places }) => ({ method, args: [...places, file] });
}

/** By operationId: every operation that an API key may call. */
const CALLS: Readonly<Record<string, readonly [ClientCall['gives'], Maker]>> = {
  generateDocument: ['record', at('store')],
  getFieldContract: ['record', at('fieldContract')],
  getDataSchema: ['record', at('dataSchema')],
  getDocument: ['record', at('document')],
  getFile: [
    'file',
    ({ places, origin }) => ({
      method: 'fetchLinkToFile',
      args: [`${origin}/v1/files/${places[0]}`, 'document.pdf'],
    }),
  ],
  verifyFile: ['record', ({ sha256 }) => ({ method: 'verify', args: [sha256] })],
  createRun: ['record', at('runs.create')],
  listRuns: ['list', at('runs.list')],
  getRun: ['record', at('runs.get')],
  putRunPart: ['record', at('runs.putPart')],
  startRun: ['record', at('runs.start')],
  pauseRun: ['record', at('runs.pause')],
  resumeRun: ['record', at('runs.resume')],
  cancelRun: ['record', at('runs.cancel')],
  followRun: ['rows', at('runs.follow')],
  getRunManifest: ['rows', at('runs.manifest')],
  listRunExceptions: ['rows', at('runs.exceptions')],
  withdrawRunRows: ['record', at('runs.withdraw')],
  getRunZip: ['file', saved('runs.zipToFile', 'documents.zip')],
  listRunPrints: ['list', at('runs.prints')],
  getRunPrint: ['file', saved('runs.printToFile', 'document.pdf')],
  getRunPrintIndex: ['rows', at('runs.printIndex')],
  listIdentities: ['record', at('identities.list')],
  syncIdentities: ['record', at('identities.sync')],
};

/** null: the packages have no method for it, because only people call it. */
export function clientCallOf(operation: Operation, origin: string): ClientCall | null {
  const [gives, make] = CALLS[operation.operationId] ?? [];
  if (gives === undefined || make === undefined) return null;
  const places = (operation.parameters ?? []).flatMap(({ in: place, example }) =>
    place === 'path' ? [typeof example === 'number' ? example : String(example)] : [],
  );
  const sha256 = String(exampleOf(operation)['sha256']);
  return { gives, ...make({ places, origin, sha256 }) };
}

/** The members of the example body; none when it is no JSON. */
export function exampleOf({ requestBody }: Operation): Readonly<Record<string, unknown>> {
  const example = requestBody?.content['application/json']?.example;
  return typeof example === 'object' && example !== null ? { ...example } : {};
}

/** The rows of the example body. */
export function exampleRows(operation: Operation): string {
  return exampleBody(operation)?.text ?? '';
}

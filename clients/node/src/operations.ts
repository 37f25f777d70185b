import { checkPlace } from './arguments.ts';

/** Every operation that an API key reaches, by its `operationId` in the service's /openapi.json. */
export const OPERATIONS = {
  generateDocument: 'POST /v1/generate',
  getFieldContract: 'GET /v1/templates/{id}/fields',
  getDataSchema: 'GET /v1/templates/{id}/schema',
  getDocument: 'GET /v1/documents/{id}',
  getFile: 'GET /v1/files/{token}',
  verifyFile: 'POST /v1/verify',
  createRun: 'POST /v1/runs',
  listRuns: 'GET /v1/runs',
  getRun: 'GET /v1/runs/{id}',
  startRun: 'POST /v1/runs/{id}/start',
  resumeRun: 'POST /v1/runs/{id}/resume',
  pauseRun: 'POST /v1/runs/{id}/pause',
  cancelRun: 'POST /v1/runs/{id}/cancel',
  putRunPart: 'PUT /v1/runs/{id}/parts/{n}',
  getRunManifest: 'GET /v1/runs/{id}/manifest',
  getRunZip: 'GET /v1/runs/{id}/zip',
  listRunExceptions: 'GET /v1/runs/{id}/exceptions',
  withdrawRunRows: 'POST /v1/runs/{id}/withdraw',
  listRunPrints: 'GET /v1/runs/{id}/prints',
  getRunPrint: 'GET /v1/runs/{id}/prints/{n}',
  getRunPrintIndex: 'GET /v1/runs/{id}/prints/{n}/index',
  followRun: 'GET /v1/runs/{id}/events',
  listIdentities: 'GET /v1/sync/identities',
  syncIdentities: 'POST /v1/sync/identities',
} as const;

/** The `operationId` of an operation. */
export type OperationId = keyof typeof OPERATIONS;

/** The argument that names what stands after this part of a path. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  templates: 'templateId',
  documents: 'documentId',
  runs: 'runId',
  parts: 'part',
  prints: 'number',
  files: 'link',
};

/**
 * Method and path of an operation, `places` filled into the path in their order. Throws
 * InvalidArgumentError for a place that cannot stand in an address.
 */
export function addressOf(
  operation: OperationId,
  places: readonly (string | number)[],
): { readonly method: string; readonly path: string } {
  const [method = '', path = ''] = OPERATIONS[operation].split(' ');
  let index = 0;
  const fill = (_: string, before: string): string => {
    const value = checkPlace(ARGUMENTS[before] ?? before, places[index++]);
    return `${before}/${encodeURIComponent(value)}`;
  };
  // A link has an address of its own.
  const filled = places.length === 0 ? path : path.replace(/(\w+)\/\{\w+\}/g, fill);
  return { method, path: filled };
}

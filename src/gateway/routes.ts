import { generateRoute, previewRoute } from './generate/generate.ts';
import type { Route, Services } from './route.ts';
import { approvalRoutes } from './routes/approvals/approvals.ts';
import { archiveRoutes } from './routes/archive.ts';
import { discardRoute } from './routes/discard.ts';
import { auditRoute } from './routes/audit.ts';
import { docsRoutes } from './routes/docs.ts';
import { documentListRoute } from './routes/document-list.ts';
import { documentsRoute } from './routes/documents.ts';
import { fieldsRoute } from './routes/fields.ts';
import { templateSchemaRoute } from './routes/template-schema.ts';
import { filesRoute } from './routes/files.ts';
import { healthRoutes } from './routes/health.ts';
import { identityRoutes } from './routes/identities.ts';
import { keyRoutes } from './routes/keys.ts';
import { loginRoutes } from './routes/login.ts';
import { sessionRoutes } from './routes/session.ts';
import { studioRoutes } from './routes/studio.ts';
import { templateHistoryRoutes } from './routes/template-history.ts';
import { runPartRoute } from './routes/runs/parts.ts';
import { runEventsRoute } from './routes/runs/events.ts';
import { runResultRoutes } from './routes/runs/results.ts';
import { runExceptionRoutes } from './routes/runs/exceptions.ts';
import { runRoutes } from './routes/runs/runs.ts';
import { draftRoutes } from './routes/drafts.ts';
import { templateRoutes } from './routes/templates.ts';
import { userRoutes } from './routes/users.ts';
import { verifyRoute } from './routes/verify.ts';

/** Every route of the service: the router, `/openapi.json` and docs/permissions.md read this list. */
export function routesOf(services: Services): readonly Route[] {
  // The order of the documentation: the most used routes come first.
  const described = [
    generateRoute(services),
    previewRoute(services),
    fieldsRoute(services),
    templateSchemaRoute(services),
    documentsRoute(services),
    filesRoute(services),
    verifyRoute(services),
    ...runRoutes(services),
    runPartRoute(services),
    ...runResultRoutes(services),
    ...runExceptionRoutes(services),
    runEventsRoute(services),
    ...templateRoutes(services),
    ...draftRoutes(services),
    ...templateHistoryRoutes(services),
    ...approvalRoutes(services),
    ...archiveRoutes(services),
    discardRoute(services),
    documentListRoute(services),
    auditRoute(services),
    ...keyRoutes(services),
    ...userRoutes(services),
    ...sessionRoutes(services),
    ...identityRoutes(services),
    ...loginRoutes(services),
  ];
  return [
    ...described,
    ...docsRoutes(services, described),
    ...studioRoutes(services),
    ...healthRoutes(services),
  ];
}

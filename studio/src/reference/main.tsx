import '../styles/base.css';
import '../styles/shell.css';
import '../styles/parts.css';
import '../styles/pdf.css';
import '../styles/reference.css';
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { Switches } from '../app/shell.tsx';
import { t } from '../i18n/i18n.ts';
import icon from '../icon.svg?no-inline';
import { Icon } from '../ui/icons.tsx';
import { Load } from '../ui/parts.tsx';
import { useLoad } from '../ui/use-load.ts';
import type { Description } from './description.ts';
import { groupOf, loadDescription, operationsOf } from './description.ts';
import { OperationView } from './operation-view.tsx';

/** The API reference: shows /openapi.json and lets users send requests. */
function Reference() {
  const { loaded, reload } = useLoad(loadDescription, []);
  useEffect(() => {
    document.title = `${t('nav.reference')} · Intaglio`;
  });
  return (
    <Load loaded={loaded} reload={reload}>
      {(description) => <Contents description={description} />}
    </Load>
  );
}

function Contents({ description }: { readonly description: Description }) {
  const operations = operationsOf(description);
  const groups = [...Map.groupBy(operations, groupOf)];
  useEffect(() => {
    // The element that the URL's fragment names exists only after this render.
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, []);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        {t('nav.skip')}
      </a>
      <header class="side open">
        <div class="side-top">
          <a class="brand" href="/studio">
            <img src={icon} alt="" />
            Intaglio API
          </a>
        </div>
        <nav aria-label={t('nav.main')}>
          {groups.map(([group, members]) => (
            <div key={group}>
              <p class="group">{group}</p>
              <ul>
                {members.map(({ operationId, summary }) => (
                  <li key={operationId}>
                    <a href={`#${operationId}`}>{summary}</a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        <div class="side-foot switches">
          <Switches />
        </div>
      </header>
      <main id="main" tabIndex={0}>
        <div class="page">
          <header class="page-head">
            <div>
              <a class="back" href="/studio">
                <Icon name="left" size={16} />
                Studio
              </a>
              <h1>{t('nav.reference')}</h1>
              <p class="intro">
                {t('reference.intro')} <a href="/openapi.json">/openapi.json</a>
              </p>
              <p class="intro">{t('reference.packages')}</p>
            </div>
          </header>
          {operations.map((operation) => (
            <OperationView
              key={operation.operationId}
              operation={operation}
              description={description}
            />
          ))}
        </div>
      </main>
    </div>
  );
}

const root = document.getElementById('app');
if (root === null) throw new Error('the page has no place for the reference');
render(<Reference />, root);

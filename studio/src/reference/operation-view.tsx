import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { t } from '../i18n/i18n.ts';
import { Badge, Button, CopyButton } from '../ui/parts.tsx';
import type { Description, Operation, Parameter, Reply } from './description.ts';
import { resolve } from './description.ts';
import { languagesOf, sampleOf, type SampleLanguage } from './samples.ts';
import { SchemaView, typeOf } from './schema-view.tsx';
import { TryIt } from './try-it.tsx';

interface ViewProps {
  readonly operation: Operation;
  readonly description: Description;
}

/** An operation: its parameters, its responses, code samples, and a form that calls it. */
export function OperationView({ operation, description }: ViewProps) {
  const { operationId, method, path, summary, parameters = [], requestBody, responses } = operation;
  const [isTrying, setTrying] = useState(false);
  const body = requestBody?.content['application/json']?.schema;
  return (
    <section id={operationId} class="card operation" aria-labelledby={`${operationId}-title`}>
      <h2 id={`${operationId}-title`}>{summary}</h2>
      <p class="row">
        <Badge tone="accent">{method}</Badge>
        <code>{path}</code>
      </p>
      <p class="soft">{operation.description}</p>
      <div class="split">
        <div class="stack">
          {parameters.length === 0 ? null : (
            <Parameters parameters={parameters} description={description} />
          )}
          {body === undefined ? null : (
            <details>
              <summary>{t('reference.body')}</summary>
              <SchemaView schema={body} description={description} />
            </details>
          )}
          <Replies responses={responses} description={description} />
        </div>
        <div class="stack">
          <Samples operation={operation} />
          <div class="row">
            <Button pressed={isTrying} onClick={() => setTrying(!isTrying)}>
              {t('reference.try')}
            </Button>
          </div>
          {isTrying ? <TryIt operation={operation} /> : null}
        </div>
      </div>
    </section>
  );
}

interface ParametersProps {
  readonly parameters: readonly Parameter[];
  readonly description: Description;
}

function Parameters({ parameters, description }: ParametersProps) {
  return (
    <div class="stack tight">
      <h3>{t('reference.parameters')}</h3>
      <ul class="members">
        {parameters.map(({ name, in: place, schema = {}, description: text, required = false }) => (
          <li key={name}>
            <p>
              <code class="strong">{name}</code>{' '}
              <span class="small soft">
                {place}, {typeOf(resolve(schema, description), description)}
                {required ? ' · required' : ''}
              </span>
            </p>
            <p class="small">{text}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}

interface RepliesProps {
  readonly responses: Readonly<Record<string, Reply>>;
  readonly description: Description;
}

function Replies({ responses, description }: RepliesProps) {
  return (
    <div class="stack tight">
      <h3>{t('reference.responses')}</h3>
      {Object.entries(responses).map(([status, reply]) => {
        const media = reply.content?.['application/json'];
        const { example, schema } = media ?? {};
        return (
          <details key={status}>
            <summary>
              <Badge tone={Number(status) < 400 ? 'good' : 'neutral'}>{status}</Badge>{' '}
              <span class="regular small">{reply.description.replaceAll('`', '')}</span>
            </summary>
            {Number(status) >= 400 || schema === undefined ? null : (
              <SchemaView schema={schema} description={description} />
            )}
            {example === undefined ? null : (
              <pre class="sample" tabIndex={0}>
                {JSON.stringify(example, null, 2)}
              </pre>
            )}
          </details>
        );
      })}
    </div>
  );
}

/** The language of all samples on the page. */
const language = signal<SampleLanguage>('curl');

function Samples({ operation }: { readonly operation: Operation }) {
  const languages = languagesOf(operation);
  const shown = languages.includes(language.value) ? language.value : 'curl';
  const text = sampleOf(operation, shown, location.origin);
  return (
    <div class="stack tight">
      <div class="row" role="group" aria-label={t('reference.samples')}>
        {languages.map((name) => (
          <Button
            key={name}
            kind="quiet"
            pressed={name === shown}
            onClick={() => (language.value = name)}
          >
            {name}
          </Button>
        ))}
        <CopyButton text={text} label={t('action.copy')} />
      </div>
      <pre class="sample" tabIndex={0}>
        {text}
      </pre>
    </div>
  );
}

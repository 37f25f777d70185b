import { useState } from 'preact/hooks';
import { t } from '../i18n/i18n.ts';
import { saveFile } from '../ui/download.ts';
import { Badge, Button, Notice } from '../ui/parts.tsx';
import type { Operation, Parameter } from './description.ts';
import { exampleBody, fileNameOf, isJson, takesKey } from './description.ts';

interface File {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

interface Answer {
  readonly status: number;
  readonly ms: number;
  readonly text: string;
  /** A response that is not text. */
  readonly file: File | null;
}

/** Characters that browsers send in a header; a key with any other was copied wrongly. */
const IN_HEADER = '[\\x20-\\x7E]*';

/** A form that calls an operation, with the user's session or with a key. */
export function TryIt({ operation }: { readonly operation: Operation }) {
  const { parameters = [] } = operation;
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [body, setBody] = useState(() => exampleBody(operation)?.text ?? '');
  const [key, setKey] = useState('');
  const [answer, setAnswer] = useState<Answer | 'offline' | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setAnswer(await sendCall(operation, values, body, key));
    setBusy(false);
  };
  const id = operation.operationId;
  return (
    <form class="stack try" onSubmit={(event) => void send(event)}>
      <div class="filters">
        {parameters.map((parameter) => (
          <ParameterInput
            key={parameter.name}
            parameter={parameter}
            value={values[parameter.name] ?? ''}
            onInput={(value) => setValues({ ...values, [parameter.name]: value })}
          />
        ))}
        {takesKey(operation) ? (
          <label class="field">
            <span class="field-label">{t('reference.key')}</span>
            <input
              class="input mono"
              type="password"
              autocomplete="off"
              placeholder={t('reference.session')}
              pattern={IN_HEADER}
              value={key}
              onInput={(event) => setKey(event.currentTarget.value.trim())}
            />
          </label>
        ) : null}
      </div>
      {operation.requestBody === undefined ? null : (
        <label class="field" for={`${id}-body`}>
          <span class="field-label">{t('reference.body')}</span>
          <textarea
            id={`${id}-body`}
            class="mono tall"
            spellcheck={false}
            value={body}
            onInput={(event) => setBody(event.currentTarget.value)}
          />
        </label>
      )}
      <div class="row">
        <Button kind="main" type="submit" busy={isBusy}>
          {t('reference.send')}
        </Button>
      </div>
      <div aria-live="polite">
        {answer === 'offline' ? <Notice tone="bad" title={t('error.offline')} /> : null}
        {answer === null || answer === 'offline' ? null : <AnswerView answer={answer} />}
      </div>
    </form>
  );
}

interface ParameterInputProps {
  readonly parameter: Parameter;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function ParameterInput({ parameter, value, onInput }: ParameterInputProps) {
  const { name, required = false, example, in: place } = parameter;
  return (
    <label class="field">
      <span class="field-label mono">{name}</span>
      <input
        class="input"
        required={required}
        {...(place === 'header' ? { pattern: IN_HEADER } : {})}
        placeholder={typeof example === 'string' ? example : JSON.stringify(example ?? '')}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  );
}

async function sendCall(
  operation: Operation,
  values: Readonly<Record<string, string>>,
  body: string,
  key: string,
): Promise<Answer | 'offline'> {
  const { method, parameters = [], requestBody } = operation;
  let address = operation.path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  for (const { in: place, name } of parameters) {
    const value = values[name] ?? '';
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(value));
    else if (value === '') continue;
    else if (place === 'query') query.set(name, value);
    else headers[name] = value;
  }
  if (key !== '') headers['X-Api-Key'] = key;
  if (requestBody !== undefined) {
    headers['Content-Type'] = exampleBody(operation)?.type ?? 'application/json';
  }
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  const startMs = performance.now();
  try {
    const response = await fetch(address + search, {
      method,
      headers,
      ...(requestBody === undefined ? {} : { body }),
    });
    return await readAnswer(response, startMs);
  } catch (error) {
    if (error instanceof TypeError) return 'offline';
    throw error;
  }
}

async function readAnswer(response: Response, startMs: number): Promise<Answer> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const ms = performance.now() - startMs;
  const { status } = response;
  const type = response.headers.get('content-type') ?? '';
  const name = fileNameOf(type);
  if (name !== '') return { status, ms, text: '', file: { name, type, bytes } };
  const text = new TextDecoder().decode(bytes);
  return { status, ms, text: isJson(type) ? pretty(text) : text, file: null };
}

function pretty(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}

function AnswerView({ answer }: { readonly answer: Answer }) {
  const { status, ms, text, file } = answer;
  return (
    <div class="stack tight">
      <p class="row">
        <Badge tone={status < 400 ? 'good' : 'bad'}>{status}</Badge>
        <span class="small soft tabular">{Math.round(ms)} ms</span>
      </p>
      {file === null ? (
        <pre class="sample" tabIndex={0}>
          {text}
        </pre>
      ) : (
        <div class="row">
          <Button icon="download" onClick={() => saveFile(file.name, file.type, file.bytes)}>
            {t('action.download')}
          </Button>
        </div>
      )}
    </div>
  );
}

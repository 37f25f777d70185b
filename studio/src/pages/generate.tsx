import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, call, callJson, path } from '../api/client.ts';
import { readDocument } from '../api/documents.ts';
import type { Data, FieldContract, Sample, TemplateState } from '../api/types.ts';
import { Link } from '../app/router.tsx';
import { readTemplate, withoutEmpty } from '../editor/template-text.ts';
import { Form } from '../form/form.tsx';
import { formatTime, t } from '../i18n/i18n.ts';
import { PdfView } from '../pdf/view.tsx';
import { saveFile } from '../ui/download.ts';
import { Choice } from '../ui/list.tsx';
import { Button, Empty, ErrorNotice, Load, Notice, PageHead } from '../ui/parts.tsx';
import { ForTemplate } from '../ui/template-choice.tsx';
import { useLoad } from '../ui/use-load.ts';
import type { Options } from './generate-options.tsx';
import { bodyOf, GenerateOptions, NO_OPTIONS } from './generate-options.tsx';

/** A document made by hand: a form of a published version, its options, and the result. */
export function GeneratePage() {
  return (
    <div class="page">
      <PageHead title={t('generate.title')} intro={t('generate.intro')} />
      <ForTemplate icon="generate">
        {(templateId, choice) => <Chooser templateId={templateId} choice={choice} />}
      </ForTemplate>
    </div>
  );
}

interface ChooserProps {
  readonly templateId: string;
  readonly choice: ComponentChildren;
}

function Chooser({ templateId, choice }: ChooserProps) {
  const [chosen, setChosen] = useState({ templateId, version: '' });
  // A newly chosen template starts with its latest version.
  const version = chosen.templateId === templateId ? chosen.version : '';
  return (
    <>
      <div class="filters">
        {choice}
        <VersionChoice
          templateId={templateId}
          version={version}
          onChange={(next) => setChosen({ templateId, version: next })}
        />
      </div>
      <Workplace key={`${templateId} ${version}`} templateId={templateId} version={version} />
    </>
  );
}

interface VersionChoiceProps {
  readonly templateId: string;
  readonly version: string;
  readonly onChange: (version: string) => void;
}

function VersionChoice({ templateId, version, onChange }: VersionChoiceProps) {
  const { loaded } = useLoad(
    (signal) => callJson<TemplateState>(path`/v1/templates/${templateId}`, { signal }),
    [templateId],
  );
  const versions = loaded.state === 'ready' ? loaded.value.versions : [];
  const usable = versions.filter(({ withdrawnAt }) => withdrawnAt === null);
  return (
    <Choice
      label={t('templates.version')}
      value={version}
      options={[
        ['', t('generate.latest')],
        ...usable.map((one) => [String(one.version), String(one.version)] as const),
      ]}
      onChange={onChange}
    />
  );
}

interface WorkplaceProps {
  readonly templateId: string;
  /** '' selects the latest version. */
  readonly version: string;
}

interface Basis {
  readonly contract: FieldContract;
  readonly samples: readonly Sample[];
}

async function loadBasis(props: WorkplaceProps, signal: AbortSignal): Promise<Basis> {
  const { templateId, version } = props;
  const asked = version === '' ? '' : `?version=${version}`;
  const fields = path`/v1/templates/${templateId}/fields` + asked;
  const contract = await callJson<FieldContract>(fields, { signal });
  const address = path`/v1/templates/${templateId}/versions/${contract.version}`;
  const source = await (await call(address, { signal })).text();
  return { contract, samples: readTemplate(source)?.samples ?? [] };
}

function Workplace(props: WorkplaceProps) {
  const { loaded, reload } = useLoad((signal) => loadBasis(props, signal), []);
  return (
    <Load loaded={loaded} reload={reload}>
      {(basis) => <Maker basis={basis} />}
    </Load>
  );
}

/** The result of the generation. */
interface Made {
  readonly pdf: Uint8Array;
  /** null: the document was not stored. */
  readonly stored: { readonly documentId: string; readonly expiresAt: string } | null;
}

function Maker({ basis }: { readonly basis: Basis }) {
  const { contract, samples } = basis;
  const [data, setData] = useState<Data>({});
  const [options, setOptions] = useState<Options>(NO_OPTIONS);
  const [busy, setBusy] = useState<'' | 'sync' | 'async'>('');
  const [made, setMade] = useState<Made | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  useEffect(() => setMade(null), [contract]);
  const generate = async (mode: 'sync' | 'async'): Promise<void> => {
    setBusy(mode);
    setError(null);
    try {
      setMade(await make(contract, mode, data, options));
    } catch (caught) {
      if (!(caught instanceof ApiError)) throw caught;
      setError(caught);
      showReasons(caught);
    }
    setBusy('');
  };
  return (
    <div class="split">
      <div class="stack">
        <section class="card stack">
          <SampleFill samples={samples} onFill={setData} />
          <Form
            fields={contract.fields}
            data={data}
            reasons={error?.fields ?? []}
            onChange={setData}
          />
        </section>
        <GenerateOptions options={options} onChange={setOptions} />
      </div>
      <div class="stack beside" aria-live="polite">
        <div class="row">
          <Button
            kind="main"
            icon="page"
            busy={busy === 'sync'}
            onClick={() => void generate('sync')}
          >
            {t('generate.show')}
          </Button>
          <Button icon="documents" busy={busy === 'async'} onClick={() => void generate('async')}>
            {t('generate.store')}
          </Button>
        </div>
        <p class="small soft">{t('generate.modes')}</p>
        {error === null ? null : <ErrorNotice error={error} />}
        {made === null ? (
          <Empty icon="page" title={t('generate.none')} />
        ) : (
          <Result made={made} name={contract.templateId} password={options.userPassword} />
        )}
      </div>
    </div>
  );
}

/** Brings the first field with a reason into view. */
function showReasons(error: ApiError): void {
  const [first] = error.fields;
  if (first === undefined) return;
  requestAnimationFrame(() => {
    const place = document.querySelector(`[data-field="${CSS.escape(first.field)}"]`);
    place?.scrollIntoView({ block: 'center' });
    place?.querySelector<HTMLElement>('input, textarea')?.focus();
  });
}

async function make(
  contract: FieldContract,
  mode: 'sync' | 'async',
  data: Data,
  options: Options,
): Promise<Made> {
  const { templateId, version } = contract;
  const body = { templateId, version, mode, data: withoutEmpty(data), ...bodyOf(options) };
  const response = await call('/v1/generate', { method: 'POST', body });
  if (mode === 'sync') {
    return { pdf: new Uint8Array(await response.arrayBuffer()), stored: null };
  }
  const stored = (await response.json()) as { documentId: string; expiresAt: string };
  return { pdf: await readDocument(stored.documentId), stored };
}

interface SampleFillProps {
  readonly samples: readonly Sample[];
  readonly onFill: (data: Data) => void;
}

function SampleFill({ samples, onFill }: SampleFillProps) {
  if (samples.length === 0) return null;
  return (
    <div class="row" role="group" aria-label={t('generate.fill')}>
      <span class="small soft">{t('generate.fill')}</span>
      {samples.map(({ name, data }, index) => (
        <Button key={index} kind="quiet" onClick={() => onFill(data)}>
          {name ?? String(index + 1)}
        </Button>
      ))}
    </div>
  );
}

interface ResultProps {
  readonly made: Made;
  readonly name: string;
  readonly password: string;
}

function Result({ made, name, password }: ResultProps) {
  const { pdf, stored } = made;
  return (
    <>
      {stored === null ? null : (
        <Notice tone="good" title={t('generate.stored')}>
          <p>
            <code>{stored.documentId}</code>
          </p>
          <p>{t('generate.stored_until', { when: formatTime(stored.expiresAt) })}</p>
          <Link class="button" to={`/documents?id=${stored.documentId}`}>
            {t('generate.find')}
          </Link>
        </Notice>
      )}
      <div class="row">
        <Button
          icon="download"
          onClick={() => {
            const file = stored === null ? name : stored.documentId;
            saveFile(`${file}.pdf`, 'application/pdf', pdf);
          }}
        >
          {t('action.download')}
        </Button>
      </div>
      <div class="framed">
        <PdfView bytes={pdf} password={password} />
      </div>
    </>
  );
}

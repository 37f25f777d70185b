import { useEffect, useState } from 'preact/hooks';
import { ApiError, call, callJson, path } from '../api/client.ts';
import type { Template } from '../api/types.ts';
import { Link, searchParam, setSearchParams } from '../app/router.tsx';
import { compareSample, type Comparison, renderSample } from '../compare/samples.ts';
import { readTemplate, type ReadTemplate } from '../editor/template-text.ts';
import { formatPrincipal, formatTime, t } from '../i18n/i18n.ts';
import { ComparisonView } from '../pages/comparison-view.tsx';
import { EngineNotLoaded } from '../pdf/engine.ts';
import { PdfView } from '../pdf/view.tsx';
import { saveFile } from '../ui/download.ts';
import { Icon } from '../ui/icons.tsx';
import { Choice } from '../ui/list.tsx';
import { Button, Empty, ErrorNotice, Load, NotLoaded, PageHead, Skeleton } from '../ui/parts.tsx';
import { useLoad } from '../ui/use-load.ts';
import '../styles/publish.css';

/** What a version page shows: the template, and the text of the version. */
interface Opened {
  readonly state: Template;
  readonly version: number;
  readonly text: string;
  readonly template: ReadTemplate | null;
}

/** One version: how its samples look, what differs from another one, and its files. */
export function VersionPage({ parts }: { readonly parts: readonly string[] }) {
  const [templateId = '', view = ''] = parts;
  const digits = view.slice('version-'.length);
  const { loaded, reload } = useLoad(
    async (signal): Promise<Opened> => {
      const state = await callJson<Template>(path`/v1/templates/${templateId}`, { signal });
      const address = path`/v1/templates/${templateId}/versions/${digits}`;
      const text = await (await call(address, { signal })).text();
      return { state, version: Number(digits), text, template: readTemplate(text) };
    },
    [templateId, digits],
  );
  return (
    <div class="page">
      <Load loaded={loaded} reload={reload}>
        {(opened) => <Version opened={opened} />}
      </Load>
    </div>
  );
}

function Version({ opened }: { readonly opened: Opened }) {
  const { state, version, text } = opened;
  const { templateId, name, versions } = state;
  const facts = versions.find((one) => one.version === version);
  const unused = unusedText(state, version);
  const others = versions.filter((one) => one.version !== version).map((one) => one.version);
  return (
    <>
      <PageHead
        title={t('version.title', { name: name || templateId, version })}
        {...(facts === undefined
          ? {}
          : {
              intro: t('version.intro', {
                when: formatTime(facts.publishedAt),
                who: formatPrincipal(facts.publishedBy) || '–',
              }),
            })}
        back={
          <Link class="back" to={`/templates/${encodeURIComponent(templateId)}`}>
            <Icon name="left" size={16} />
            {name || templateId}
          </Link>
        }
      >
        <Button
          icon="download"
          onClick={() => saveFile(`${templateId}-v${version}.json`, 'application/json', text)}
        >
          {t('version.download_file')}
        </Button>
      </PageHead>
      {unused === '' ? (
        <Looks opened={opened} others={others} />
      ) : (
        <Empty icon="page" title={t('version.no_pages')}>
          <p>{unused}</p>
        </Empty>
      )}
    </>
  );
}

/** Why the service makes no page of the version; '' if it makes them. */
function unusedText({ archivedAt, versions }: Template, version: number): string {
  if (archivedAt !== null) return t('version.archived');
  const facts = versions.find((one) => one.version === version);
  return (facts?.withdrawnAt ?? null) === null ? '' : t('version.withdrawn');
}

interface LooksProps {
  readonly opened: Opened;
  readonly others: readonly number[];
}

/** The samples of the version as pages, beside those of another one if asked for. */
function Looks({ opened, others }: LooksProps) {
  const samples = opened.template?.samples ?? [];
  const index = Math.min(Number(searchParam('sample')) || 0, Math.max(0, samples.length - 1));
  const sample = samples[index];
  const other = searchParam('with');
  const { draft } = opened.state;
  return (
    <div class="stack">
      <div class="filters">
        <Choice
          label={t('preview.sample')}
          value={String(index)}
          options={samples.map((one, at) => [String(at), one.name ?? String(at + 1)])}
          onChange={(value) => setSearchParams({ sample: value })}
        />
        <Choice
          label={t('version.compare')}
          value={other}
          options={[
            ['', t('version.alone')],
            ...(draft === null ? [] : [['draft', t('publish.draft')] as const]),
            ...others.map((one) => [String(one), t('version.short', { version: one })] as const),
          ]}
          onChange={(value) => setSearchParams({ with: value })}
        />
      </div>
      {sample === undefined ? (
        <Empty icon="page" title={t('publish.no_samples')} />
      ) : other === '' ? (
        <Page key={`${index}`} opened={opened} data={sample.data} />
      ) : (
        <Against key={`${index} ${other}`} opened={opened} other={other} data={sample.data} />
      )}
    </div>
  );
}

interface PageProps {
  readonly opened: Opened;
  readonly data: ReadTemplate['samples'][number]['data'];
}

type Failure = ApiError | EngineNotLoaded;

/** Keeps an expected failure as a value. */
async function outcomeOf<T>(work: Promise<T>): Promise<T | Failure> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError || error instanceof EngineNotLoaded) return error;
    throw error;
  }
}

/** The result of `work`, null while it is under way, and a function that does it again. */
function useOutcome<T>(work: () => Promise<T>): readonly [T | Failure | null, () => void] {
  const [result, setResult] = useState<T | Failure | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isStale = false;
    const run = async (): Promise<void> => {
      const done = await outcomeOf(work());
      if (!isStale) setResult(() => done);
    };
    void run();
    return () => {
      isStale = true;
    };
  }, [turn]);
  const again = (): void => {
    setResult(null);
    setTurn((before) => before + 1);
  };
  return [result, again];
}

/** A sample, rendered from the version. */
function Page({ opened: { state, version }, data }: PageProps) {
  const { templateId } = state;
  const [result, again] = useOutcome(() => renderSample(templateId, version, data));
  if (result === null) return <Skeleton />;
  if (result instanceof Error) return <Failed error={result} again={again} />;
  const save = (): void => saveFile(`${templateId}-v${version}.pdf`, 'application/pdf', result);
  return (
    <section class="card stack version-page">
      <div class="row">
        <Button icon="download" onClick={save}>
          {t('version.download_pdf')}
        </Button>
      </div>
      <div class="version-pdf">
        <PdfView bytes={result} />
      </div>
    </section>
  );
}

/** Hash of the text of a version or of the draft. */
function hashOf({ versions, draft }: Template, version: number | 'draft'): string | undefined {
  if (version === 'draft') return draft?.hash;
  return versions.find((one) => one.version === version)?.hash;
}

function nameOf(version: number | 'draft'): string {
  return version === 'draft' ? t('publish.draft') : t('version.short', { version });
}

/** A sample from the version beside that of another version, or of the draft. */
function Against({ opened: { state, version }, other, data }: PageProps & { other: string }) {
  const { templateId } = state;
  const isNewer = other === 'draft' || Number(other) > version;
  const after = isNewer ? (other === 'draft' ? 'draft' : Number(other)) : version;
  const before = isNewer ? version : Number(other);
  const [result, again] = useOutcome<Comparison>(() =>
    compareSample(templateId, before, { data }, after),
  );
  if (result === null) return <Skeleton />;
  if (result instanceof Error) return <Failed error={result} again={again} />;
  return (
    <section class="card">
      <ComparisonView
        comparison={result}
        isFirst={false}
        isTextSame={hashOf(state, before) === hashOf(state, after)}
        names={{ before: nameOf(before), after: nameOf(after) }}
      />
    </section>
  );
}

interface FailedProps {
  readonly error: Failure;
  readonly again: () => void;
}

function Failed({ error, again }: FailedProps) {
  if (error instanceof EngineNotLoaded) return <NotLoaded title={t('pdf.not_loaded')} />;
  return <ErrorNotice error={error} retry={again} />;
}

import { callJson, callText, path } from '../api/client.ts';
import type { Template } from '../api/types.ts';
import { Words } from '../approvals/request-view.tsx';
import { Link, searchParam, setSearchParams } from '../app/router.tsx';
import { usePersons } from '../audit/principals.tsx';
import { renderSample } from '../compare/samples.ts';
import { readTemplate, type ReadTemplate } from '../editor/template-text.ts';
import { formatTime, t } from '../i18n/i18n.ts';
import { PdfView } from '../pdf/view.tsx';
import { Against } from './against.tsx';
import { Failed, useOutcome } from './outcome.tsx';
import { saveFile } from '../ui/download.ts';
import { Icon } from '../ui/icons.tsx';
import { Choice } from '../ui/list.tsx';
import { Button, Empty, Load, PageHead, Skeleton } from '../ui/parts.tsx';
import { useLoad } from '../ui/use-load.ts';
import '../styles/publish.css';

/** What a version page shows: the template, and the text of the version. */
export interface Opened {
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
      const text = await callText(address, { signal });
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
  const nameOf = usePersons(facts === undefined ? [] : [facts.publishedBy, ...facts.authors]);
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
                who: nameOf(facts.publishedBy) || '–',
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
      <div class="stack">
        {facts === undefined ? null : (
          <section class="card">
            <dl class="facts">
              <dt>{t('template.authors')}</dt>
              <dd>{facts.authors.map(nameOf).join(', ') || '–'}</dd>
              <dt>{t('template.note')}</dt>
              <dd>{facts.note === '' ? '–' : <Words text={facts.note} />}</dd>
            </dl>
          </section>
        )}
        {unused === '' ? (
          <Looks opened={opened} others={others} />
        ) : (
          <Empty icon="page" title={t('version.no_pages')}>
            <p>{unused}</p>
          </Empty>
        )}
      </div>
    </>
  );
}

/** Why the service renders no pages of the version; '' if it does. */
function unusedText({ archivedAt, versions }: Template, version: number): string {
  if (archivedAt !== null) return t('version.archived');
  const facts = versions.find((one) => one.version === version);
  return (facts?.withdrawnAt ?? null) === null ? '' : t('version.withdrawn');
}

interface LooksProps {
  readonly opened: Opened;
  readonly others: readonly number[];
}

/** The pages of the version's samples, beside those of another version if one is chosen. */
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
        <Against key={`${index} ${other}`} opened={opened} other={other} index={index} />
      )}
    </div>
  );
}

interface PageProps {
  readonly opened: Opened;
  readonly data: ReadTemplate['samples'][number]['data'];
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

import { callText, path } from '../api/client.ts';
import type { Sample } from '../api/template-data.ts';
import type { Template } from '../api/types.ts';
import { type DifferingPart, differingParts, sampleLike, shownLine } from '../compare/parts.ts';
import { compareSample, type Comparison } from '../compare/samples.ts';
import { readTemplate } from '../editor/template-text.ts';
import { formatNumber, t } from '../i18n/i18n.ts';
import { ComparisonView } from '../pages/comparison-view.tsx';
import { Notice, Skeleton } from '../ui/parts.tsx';
import { Failed, useOutcome } from './outcome.tsx';
import type { Opened } from './version.tsx';

type Side = number | 'draft';

interface AgainstProps {
  readonly opened: Opened;
  /** Number of the other version, or `draft`. */
  readonly other: string;
  /** Of the sample. */
  readonly index: number;
}

/** The differences of two versions: a sample of both as pages, and the parts of the two texts. */
interface Compared {
  readonly pages: Comparison;
  /** The version that lacks this sample; it is rendered with the data of the other version. */
  readonly isAlone: boolean;
  readonly parts: readonly DifferingPart[] | null;
}

/** A version beside another one, or the draft: each is drawn with its own sample. */
export function Against({ opened, other, index }: AgainstProps) {
  const { state, version } = opened;
  const side: Side = other === 'draft' ? 'draft' : Number(other);
  const isNewer = side === 'draft' || side > version;
  const [before, after] = isNewer ? [version, side] : [Number(other), version];
  const [result, again] = useOutcome(() => compared(opened, side, isNewer, index));
  if (result === null) return <Skeleton />;
  if (result instanceof Error) return <Failed error={result} again={again} />;
  const names = { before: nameOf(before), after: nameOf(after) };
  return (
    <>
      {result.isAlone ? (
        <Notice
          tone="warn"
          title={t('version.sample_alone', { version: nameOf(side), own: nameOf(version) })}
        />
      ) : null}
      <section class="card">
        <ComparisonView
          comparison={result.pages}
          isFirst={false}
          isTextSame={hashOf(state, before) === hashOf(state, after)}
          names={names}
        />
      </section>
      <Parts parts={result.parts} names={names} />
    </>
  );
}

async function compared(
  { state, version, text, template }: Opened,
  side: Side,
  isNewer: boolean,
  index: number,
): Promise<Compared> {
  const { templateId } = state;
  const address =
    side === 'draft'
      ? path`/v1/templates/${templateId}/draft`
      : path`/v1/templates/${templateId}/versions/${side}`;
  const textOfOther = await callText(address);
  const own: Sample = template?.samples[index] ?? { data: {} };
  const like = sampleLike(readTemplate(textOfOther)?.samples ?? [], own, index);
  const others = like ?? own;
  const pages = isNewer
    ? await compareSample(templateId, version, others, side, own.data)
    : await compareSample(templateId, Number(side), own, version, others.data);
  const parts = isNewer ? differingParts(text, textOfOther) : differingParts(textOfOther, text);
  return { pages, isAlone: like === null, parts };
}

/** Hash of the text of a version or of the draft. */
function hashOf({ versions, draft }: Template, side: Side): string | undefined {
  if (side === 'draft') return draft?.hash;
  return versions.find(({ version }) => version === side)?.hash;
}

function nameOf(side: Side): string {
  return side === 'draft' ? t('publish.draft') : t('version.short', { version: side });
}

interface PartsProps {
  readonly parts: readonly DifferingPart[] | null;
  readonly names: { readonly before: string; readonly after: string };
}

/** Limit of the places that are shown of a part, because two texts may have nothing in common. */
const PLACES_MAX = 100;

/** The parts of the templates that differ, with their lines. */
function Parts({ parts, names }: PartsProps) {
  if (parts === null) return <Notice tone="warn" title={t('version.parts_unreadable')} />;
  if (parts.length === 0) return <Notice tone="good" title={t('version.parts_same')} />;
  return (
    <section class="card stack" aria-label={t('version.parts')}>
      <h2>{t('version.parts')}</h2>
      <p class="small soft">{t('version.parts_hint', names)}</p>
      {parts.map((part) => (
        <Part key={part.path} part={part} />
      ))}
    </section>
  );
}

function Part({ part: { path: name, places } }: { readonly part: DifferingPart }) {
  const hidden = places.length - PLACES_MAX;
  return (
    <section class="stack tight">
      <h3>
        <code>{name}</code>
      </h3>
      <div class="diff differences" role="region" tabIndex={0} aria-label={name}>
        {places.slice(0, PLACES_MAX).map(({ lines }, place) => (
          <div key={place}>
            {lines.map(({ kind, text }, index) => (
              <p key={index} class={`${kind} mono breaks`}>
                <span class="hidden">{t(`diff.${kind}`)}</span>
                <span aria-hidden="true">{kind === 'added' ? '+' : '−'}</span>{' '}
                {shownLine(text.trim(), charactersOf)}
              </p>
            ))}
          </div>
        ))}
        {hidden > 0 ? (
          <p class="soft">{t('conflict.more_differences', { count: hidden })}</p>
        ) : null}
      </div>
    </section>
  );
}

function charactersOf(count: number): string {
  return t('version.characters', { count: formatNumber(count) });
}

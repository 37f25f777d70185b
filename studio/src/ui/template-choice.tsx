import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { TemplateName } from '../api/templates.ts';
import { firstTemplate, listTemplates } from '../api/templates.ts';
import type { TemplateSummary } from '../api/types.ts';
import { searchParams, setSearchParams } from '../app/router.tsx';
import { useTemplateName } from '../app/template-names.ts';
import { createKeeper } from '../form/kept.ts';
import { t } from '../i18n/i18n.ts';
import type { IconName } from './icons.tsx';
import type { Listing } from './list.tsx';
import { useListing } from './list.tsx';
import { Empty, errorTitle, Load } from './parts.tsx';
import { useLoad } from './use-load.ts';
import { usePaused } from './use-paused.ts';
import '../styles/choice.css';

const LIMIT = 20;

interface ForTemplateProps {
  readonly icon: IconName;
  /** `choice`: the input that chooses another template. */
  readonly children: (templateId: string, choice: ComponentChildren) => ComponentChildren;
}

/** The template that each page of these was used for last; its form may hold what was typed. */
const lastUsed = createKeeper<string>(2);

/**
 * Renders `children` for a template: the one in the address, the one that the page was used for last,
 * the team's first, or a chosen one.
 */
export function ForTemplate({ icon, children }: ForTemplateProps) {
  const { loaded, reload } = useLoad(async (signal) => {
    const asked = searchParams.value.get('template') ?? lastUsed.of(icon);
    const template = await firstTemplate(asked, signal);
    if (template !== null) lastUsed.keep(icon, template.templateId);
    return template;
  }, []);
  const [chosen, setChosen] = useState<TemplateName | null>(null);
  const choose = (template: TemplateName): void => {
    // Whoever comes back to the page, or loads it again, finds this template.
    setSearchParams({ template: template.templateId });
    lastUsed.keep(icon, template.templateId);
    setChosen(template);
  };
  return (
    <Load loaded={loaded} reload={reload}>
      {(first) => {
        const template = chosen ?? first;
        if (template === null) return <Empty icon={icon} title={t('generate.nothing')} />;
        const choice = <TemplateChoice value={template} onChange={choose} />;
        return <div class="stack">{children(template.templateId, choice)}</div>;
      }}
    </Load>
  );
}

interface FilterProps {
  /** '' for all templates. */
  readonly templateId: string;
  readonly onChange: (templateId: string) => void;
}

/** A filter of a list by template, which is chosen by name; also one without a published version. */
export function TemplateFilter({ templateId, onChange }: FilterProps) {
  const name = useTemplateName(templateId);
  const any = { templateId: '', name: t('filter.any') };
  const value = templateId === '' ? any : { templateId, name: name === templateId ? '' : name };
  return (
    <TemplateChoice value={value} any={any} onChange={(chosen) => onChange(chosen.templateId)} />
  );
}

interface ChoiceProps {
  readonly value: TemplateName;
  /** The first option of a filter: it chooses all templates. */
  readonly any?: TemplateName;
  readonly onChange: (template: TemplateName) => void;
}

interface State {
  /** null: nothing was typed since a template was chosen. */
  readonly typed: string | null;
  readonly isOpen: boolean;
  /** Index of the option that Enter takes. */
  readonly active: number;
  /** Enter was pressed during the search: it takes the first template of the answer. */
  readonly isEntered: boolean;
}

const CLOSED: State = { typed: null, isOpen: false, active: 0, isEntered: false };

/**
 * A combobox of the published templates: the service searches for the typed text, page by page. It
 * follows the combobox pattern of the ARIA Authoring Practices.
 */
function TemplateChoice({ value, any, onChange }: ChoiceProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [{ typed, isOpen, active, isEntered }, setState] = useState(CLOSED);
  const set = (changed: Partial<State>): void => setState((before) => ({ ...before, ...changed }));
  const { wanted, listing, isFound } = useSearch(isOpen, typed?.trim() ?? '', any === undefined);
  const isAll = wanted === '' && any !== undefined;
  const items: readonly TemplateName[] = isAll ? [any, ...listing.items] : listing.items;
  useEffect(() => set({ active: 0 }), [isOpen, wanted]);
  useEffect(() => {
    if (!isEntered || !isFound) return;
    set({ isEntered: false });
    take(0);
  }, [isEntered, isFound]);
  const count = items.length + (listing.state === 'more' ? 1 : 0);
  const close = (): void => setState(CLOSED);
  const take = (index: number): void => {
    const item = items[index];
    if (item === undefined) {
      if (listing.state === 'more') listing.more();
      return;
    }
    close();
    if (item.templateId !== value.templateId) onChange(item);
  };
  const move = (to: number): void => {
    set({ active: to });
    document.getElementById(`${id}-${to}`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const isArrow = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    if (!isArrow && (!isOpen || (event.key !== 'Enter' && event.key !== 'Escape'))) return;
    event.preventDefault();
    // The list may still show other templates, or none. What the arrow keys chose there counts.
    if (event.key === 'Enter' && !isFound && active === 0) set({ isEntered: true });
    else if (event.key === 'Enter') take(active);
    else if (event.key === 'Escape') close();
    else if (!isOpen) set({ isOpen: true });
    else if (count > 0) move((active + (event.key === 'ArrowDown' ? 1 : count - 1)) % count);
  };
  return (
    <div class="field template-choice">
      <label for={id}>{t('document.template')}</label>
      <input
        ref={input}
        id={id}
        class="input"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        aria-expanded={isOpen}
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        {...(isOpen && count > 0 ? { 'aria-activedescendant': `${id}-${active}` } : {})}
        value={typed ?? shownName(value)}
        onClick={() => {
          set({ isOpen: true });
          if (typed === null) input.current?.select();
        }}
        onInput={({ currentTarget }) =>
          set({ typed: currentTarget.value, isOpen: true, active: 0, isEntered: false })
        }
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      <Found {...{ id, isOpen, items, listing, active, value, take }} />
    </div>
  );
}

/**
 * Searches for `asked` when typing pauses. `isFound`: the listing is what was found for it. Nothing
 * is requested while the list is closed.
 */
function useSearch(
  isOpen: boolean,
  asked: string,
  isPublished: boolean,
): { wanted: string; listing: Listing<TemplateSummary>; isFound: boolean } {
  const wanted = usePaused(asked);
  const listing = useListing(
    async (after, signal) =>
      isOpen
        ? listTemplates({ search: wanted, published: isPublished, limit: LIMIT }, after, signal)
        : { items: [], next: null },
    [isOpen, wanted],
  );
  return { wanted, listing, isFound: wanted === asked && listing.state !== 'loading' };
}

interface FoundProps {
  /** Id of the input; the ids of the options derive from it. */
  readonly id: string;
  readonly isOpen: boolean;
  readonly items: readonly TemplateName[];
  readonly listing: Listing<TemplateSummary>;
  readonly active: number;
  readonly value: TemplateName;
  readonly take: (index: number) => void;
}

function Found({ id, isOpen, items, listing, active, value, take }: FoundProps) {
  const { state, error } = listing;
  const option = (index: number, isSelected = false) => ({
    id: `${id}-${index}`,
    isActive: index === active,
    isSelected,
    onTake: () => take(index),
  });
  return (
    <div
      class="choice-list"
      hidden={!isOpen}
      // The input keeps the focus: losing it closes the list.
      onMouseDown={(event) => event.preventDefault()}
    >
      <ul id={`${id}-list`} role="listbox" aria-label={t('templates.title')}>
        {items.map(({ name, templateId }, index) => (
          // Keyed by the template, so that a click that began on one template cannot choose another
          // one that a search has put in its place.
          <Option key={templateId} {...option(index, templateId === value.templateId)}>
            {name || templateId} <span class="soft mono">{templateId}</span>
          </Option>
        ))}
        {state === 'more' ? <Option {...option(items.length)}>{t('action.more')}</Option> : null}
      </ul>
      <p class="small soft" role="status">
        {state === 'loading' ? t('state.loading') : null}
        {state === 'end' && items.length === 0 ? t('state.nothing_found') : null}
        {error === null ? null : errorTitle(error)}
      </p>
    </div>
  );
}

interface OptionProps {
  readonly id: string;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly onTake: () => void;
  readonly children: ComponentChildren;
}

function Option({ id, isActive, isSelected, onTake, children }: OptionProps) {
  return (
    <li
      id={id}
      role="option"
      aria-selected={isSelected}
      {...(isActive ? { 'data-active': true } : {})}
      onClick={onTake}
    >
      {children}
    </li>
  );
}

function shownName({ name, templateId }: TemplateName): string {
  if (name === '' || templateId === '') return name || templateId;
  return `${name} (${templateId})`;
}

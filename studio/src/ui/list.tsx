import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { readPatiently } from '../api/patience.ts';
import { formatNumber, t } from '../i18n/i18n.ts';
import { Button, ErrorNotice, Skeleton } from './parts.tsx';
import { useWatch } from './watch.ts';
import '../styles/lists.css';

/** Pages of a list, fetched one after the other. */
export interface Listing<T> {
  readonly items: readonly T[];
  readonly state: 'loading' | 'more' | 'end' | 'failed';
  readonly error: ApiError | null;
  readonly more: () => void;
  /** Shows these instead, as a later reading of the first page gave them. */
  readonly replace: (page: ListPage<T>) => void;
}

export interface ListPage<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** Empty pages fetched in a row automatically: a selective filter skips many records. */
const EMPTY_PAGES_MAX = 10;

/** Fetches the first page when `keys`, which are plain values, change, and the next one on `more`. */
export function useListing<T>(
  fetchPage: (after: string | null, signal: AbortSignal) => Promise<ListPage<T>>,
  keys: readonly unknown[],
): Listing<T> {
  const [items, setItems] = useState<readonly T[]>([]);
  const [state, setState] = useState<Listing<T>['state']>('loading');
  const [error, setError] = useState<ApiError | null>(null);
  const key = JSON.stringify(keys);
  /** The key for which `items` were fetched. */
  const [itemsKey, setItemsKey] = useState(key);
  const next = useRef<string | null>(null);
  const turn = useRef<AbortController | null>(null);
  const load = async (from: string | null, before: readonly T[]): Promise<void> => {
    turn.current?.abort();
    const controller = new AbortController();
    turn.current = controller;
    setState('loading');
    setError(null);
    const { signal } = controller;
    const fetchFrom = (after: string | null): Promise<ListPage<T>> =>
      readPatiently(() => fetchPage(after, signal), signal);
    try {
      let page = await fetchFrom(from);
      for (let empty = 0; empty < EMPTY_PAGES_MAX; empty += 1) {
        if (page.items.length > 0 || page.next === null) break;
        page = await fetchFrom(page.next);
      }
      if (signal.aborted) return;
      next.current = page.next;
      setItems([...before, ...page.items]);
      setState(page.next === null ? 'end' : 'more');
    } catch (caught) {
      if (signal.aborted) return;
      if (!(caught instanceof ApiError)) throw caught;
      setError(caught);
      setState('failed');
    }
  };
  useEffect(() => {
    setItems([]);
    setItemsKey(key);
    next.current = null;
    void load(null, []);
    return () => turn.current?.abort();
  }, [key]);
  const more = (): void => void load(next.current, items);
  const replace = (page: ListPage<T>): void => {
    turn.current?.abort();
    next.current = page.next;
    setItems(page.items);
    setError(null);
    setState(page.next === null ? 'end' : 'more');
  };
  // Until the effect has run, the items are those of the keys before.
  if (itemsKey !== key) return { items: [], state: 'loading', error: null, more, replace };
  return { items, state, error, more, replace };
}

/**
 * A listing whose first page is read again every 10 s, so that it shows what others do. `pageMax` is
 * the number of items of a page.
 */
export function useFollowedListing<T>(
  fetchPage: (after: string | null, signal: AbortSignal) => Promise<ListPage<T>>,
  keys: readonly unknown[],
  pageMax: number,
): Listing<T> {
  const listing = useListing(fetchPage, keys);
  const isLong = useRef(false);
  isLong.current = listing.items.length > pageMax || listing.state === 'loading';
  useWatch(async (signal) => {
    // Who has asked for more of a long list is somewhere in it: nothing moves under the pointer.
    if (isLong.current) return;
    const page = await fetchPage(null, signal);
    if (!signal.aborted) listing.replace(page);
  }, JSON.stringify(keys));
  return listing;
}

interface ListingViewProps<T> {
  readonly listing: Listing<T>;
  readonly empty: ComponentChildren;
  /** Whether the items were searched for: then their number is told. */
  readonly isSearch?: boolean;
  readonly children: (items: readonly T[]) => ComponentChildren;
}

export function ListingView<T>({
  listing,
  empty,
  isSearch = false,
  children,
}: ListingViewProps<T>) {
  const { items, state, error, more } = listing;
  return (
    <>
      {isSearch ? <Found listing={listing} /> : null}
      {items.length > 0 ? children(items) : null}
      {state === 'loading' ? <Skeleton /> : null}
      {error === null ? null : <ErrorNotice error={error} retry={more} repeats />}
      {state === 'end' && items.length === 0 ? empty : null}
      {state === 'more' ? (
        <div class="more">
          <Button onClick={more}>{t('action.more')}</Button>
        </div>
      ) : null}
    </>
  );
}

/** The number of items found so far, and whether there are more pages. */
function Found<T>({ listing: { items, state } }: { readonly listing: Listing<T> }) {
  const count = formatNumber(items.length);
  const text = state === 'end' ? t('list.found', { count }) : t('list.found_more', { count });
  // The text of an empty list tells sighted people.
  return (
    <p class={items.length === 0 ? 'hidden' : 'found small soft'} role="status">
      {state === 'loading' || state === 'failed' ? '' : text}
    </p>
  );
}

interface FilterProps {
  readonly label: string;
  /** Shown within the empty input. */
  readonly hint?: string;
  readonly value: string;
  readonly type?: 'text' | 'date';
  /** Id of a datalist. */
  readonly list?: string;
  /** Id of the text that says why the value is wrong. */
  readonly faultId?: string;
  readonly onChange: (value: string) => void;
}

/** Pause in the typing after which a filter is applied. */
const TYPING_PAUSE_MS = 300;

/** The longest value that the service takes for a filter. */
const VALUE_LENGTH_MAX = 255;

interface TypedInput {
  readonly value: string;
  readonly maxLength: number;
  readonly onInput: (event: { readonly currentTarget: HTMLInputElement }) => void;
  readonly onBlur: () => void;
}

/** Properties of an input whose text is applied when typing pauses or the input is left. */
export function useTyped(value: string, onChange: (value: string) => void): TypedInput {
  // Kept apart from `value`, because a list that arrives during typing renders the input again.
  const [typed, setTyped] = useState<string | null>(null);
  // Other filters may change during the pause, so the latest callback is called.
  const apply = useRef(onChange);
  apply.current = onChange;
  useEffect(() => {
    if (typed === null) return undefined;
    const timer = setTimeout(() => apply.current(typed.trim()), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return {
    value: typed ?? value,
    maxLength: VALUE_LENGTH_MAX,
    onInput: (event) => setTyped(event.currentTarget.value),
    onBlur: () => {
      if (typed !== null) onChange(typed.trim());
      setTyped(null);
    },
  };
}

/** An input of a filter. */
export function Filter(props: FilterProps) {
  const { label, hint, value, type = 'text', list, faultId, onChange } = props;
  const typed = useTyped(value, onChange);
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      {hint === undefined ? null : <span class="hint">{hint}</span>}
      <input
        class="input"
        {...(type === 'date' ? { type: 'date' as const } : { type: 'text' as const })}
        autocomplete="off"
        {...(list === undefined ? {} : { list })}
        {...(faultId === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': faultId })}
        {...typed}
      />
    </label>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}

export function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/**
 * The beginning of a local day as an ISO time for the service; '' when `day` is not a date, or
 * its year has more than four digits.
 */
export function dayStart(day: string, addDays = 0): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return '';
  const date = new Date(`${day}T00:00:00`);
  date.setDate(date.getDate() + addDays);
  const time = date.toISOString();
  return time.startsWith('+') ? '' : time;
}

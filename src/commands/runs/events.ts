/** An event of a stream, as the HTML Living Standard §9.2.6 reads it. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/** Reads server-sent events, whose lines end in a line feed, from the pieces of a response. */
export async function* readEvents(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let held = '';
  for await (const piece of pieces) {
    held += decoder.decode(piece, { stream: true });
    for (let end = held.indexOf('\n\n'); end !== -1; end = held.indexOf('\n\n')) {
      const event = eventOf(held.slice(0, end));
      held = held.slice(end + 2);
      if (event !== null) yield event;
    }
  }
}

/** null: a comment, or the time after which to come again. */
function eventOf(block: string): ServerSentEvent | null {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
    if (name === 'event') event = value;
    if (name === 'data') data.push(value);
  }
  return data.length === 0 ? null : { event, data: data.join('\n') };
}

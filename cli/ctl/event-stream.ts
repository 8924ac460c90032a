import { CommandError } from '../command-error.ts'

/** The longest event that is read, in characters. */
const MAX_EVENT_LENGTH = 1024 * 1024

/** One server-sent event. */
type ServerSentEvent = { readonly type: string; readonly data: string }

/**
 * Reads server-sent events as this server writes them (HTML Standard, 9.2.6, with line feeds alone).
 * @throws {CommandError} when an event is too long
 */
export async function* readEvents(chunks: AsyncIterable<string>): AsyncGenerator<ServerSentEvent> {
  let text = ''
  for await (const chunk of chunks) {
    const blocks = (text + chunk).split('\n\n')
    text = blocks.pop() ?? ''
    if (text.length > MAX_EVENT_LENGTH) throw new CommandError('the server sent an event that is too long')
    for (const block of blocks) {
      const event = parseEvent(block)
      if (event.data !== '') yield event
    }
  }
}

function parseEvent(block: string): ServerSentEvent {
  const lines = block.split('\n').map((line) => /^([^:]*):? ?(.*)$/u.exec(line))
  const values = (name: string) => lines.flatMap((line) => (line?.[1] === name ? (line[2] ?? '') : []))
  return { type: values('event').at(-1) ?? 'message', data: values('data').join('\n') }
}

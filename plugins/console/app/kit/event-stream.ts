/** The most characters of one event: a source that never ends a line is no source of events. */
const MAX_EVENT_LENGTH = 16 * 1024 * 1024

/**
 * Reads server-sent events from a body (HTML Living Standard, 9.2.6). A request of `fetch` can send the credential in a
 * header; an `EventSource` would have to show it in its address.
 * @returns the data of each event
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  try {
    let rest = ''
    let data: string[] = []
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const lines = (rest + value).split(/\r\n|\n|\r/u)
      rest = lines.pop() ?? ''
      if (rest.length > MAX_EVENT_LENGTH) throw new Error('an event of the server is too long')
      for (const line of lines) {
        if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
        else if (line === '' && data.length > 0) {
          yield data.join('\n')
          data = []
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

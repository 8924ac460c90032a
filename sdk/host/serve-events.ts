import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TObject, TUndefined } from 'typebox'
import { parseDuration } from '../config/duration.ts'
import { InvalidRequest } from '../errors/stream-errors.ts'
import type { RoutedRequest } from '../http/request.ts'
import type { OperationInput } from '../plugin/operations.ts'
import { writeValue } from './answer-writer.ts'
import type { AnyEvents } from './any-operation.ts'
import { clientSignal, type ClientSignal } from './client-signal.ts'
import { errorReply } from './error-reply.ts'
import { InputReader } from './input-reader.ts'
import { isObject, type JsonSchema } from './json-schema.ts'
import { formatted, jsonOf } from './representation.ts'
import { ANONYMOUS } from './serve-operation.ts'
import { namedParams, partsOf, type Spelling } from './spelling.ts'

/** The longest silence; a comment then keeps proxies, and the server's own limit on silent connections, from ending the connection. */
const KEEP_ALIVE_MS = 15_000
const MIN_INTERVAL_MS = 100
const MAX_INTERVAL_MS = 3_600_000
const INTERVAL = { type: 'string', default: '1s', description: 'How far apart the events are' }
const INTERVAL_QUERY: NonNullable<JsonSchema['properties']> = { interval: INTERVAL }

type EventsInput = OperationInput<TObject, TObject, TUndefined>

/** The parameters of the query of server-sent events, the interval of those included that are read. */
export function eventsQuerySchema(operation: AnyEvents): JsonSchema {
  const schema: JsonSchema = operation.query ?? { type: 'object' }
  return 'read' in operation ? { ...schema, properties: { ...INTERVAL_QUERY, ...schema.properties } } : schema
}

/** Answers one spelling of server-sent events as a route of `app`. */
export function serveEvents(app: FastifyInstance, operation: AnyEvents, { path, url }: Spelling): void {
  const { params, access = 'user' } = operation
  const reader = new InputReader({ params, query: eventsQuerySchema(operation) })
  const parts = partsOf(path, params)
  app.route<{ Params: Record<string, string>; Querystring: Record<string, unknown> }>({
    method: 'GET',
    url,
    config: { access },
    // An answer without a body would read the events for no client, and without an end.
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { raw, query } = request
      const read = reader.read({ params: namedParams(parts, request.params), query, body: undefined })
      const { user = ANONYMOUS }: RoutedRequest = raw
      const client = clientSignal(raw)
      try {
        const input = { ...read, body: undefined, user, request: raw, signal: client.signal }
        return await send(operation, valuesOf(operation, input), { request, reply, client })
      } catch (error) {
        client.release()
        throw error
      }
    },
  })
}

type Exchange = { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly client: ClientSignal }

/**
 * The handler waits for the first value, so that an error before it gets a status; but for no longer than a connection may be
 * silent, as a source may have nothing to say for hours.
 */
async function send(
  { event }: AnyEvents,
  values: AsyncIterator<unknown>,
  { request, reply, client }: Exchange,
): Promise<FastifyReply> {
  const first = values.next()
  const { format } = request.query as { readonly format?: unknown }
  if (format !== undefined || asksForJson(request)) {
    const { value: newest } = await first
    client.release()
    await values.return?.()
    const value = writeValue(event, newest)
    const { contentType, text } = formatted(value, format) ?? jsonOf(value)
    return reply.type(contentType).send(text)
  }
  await isSilent(first)
  const onError = (error: unknown) => {
    const { body, unexpected } = errorReply(error)
    if (unexpected) request.log.error({ err: error, requestId: request.id }, 'server-sent events failed')
    return `event: error\ndata: ${JSON.stringify(body)}\n\n`
  }
  const texts = eventTexts(first, values, (value) => JSON.stringify(writeValue(event, value)), onError)
  const stream = Readable.from(texts, { highWaterMark: 1 }).once('close', () => {
    // The response may end while the connection goes on; a source that waits for its next value ends by the signal.
    client.leave()
    client.release()
  })
  // Proxies such as nginx would gather events otherwise.
  const headers = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
  return reply.type('text/event-stream; charset=utf-8').headers(headers).send(stream)
}

function asksForJson({ headers: { accept = '' } }: FastifyRequest): boolean {
  return accept.includes('application/json') && !accept.includes('text/event-stream')
}

async function* eventTexts(
  first: Promise<IteratorResult<unknown>>,
  values: AsyncIterator<unknown>,
  textOf: (value: unknown) => string,
  onError: (error: unknown) => string,
): AsyncGenerator<string> {
  try {
    for (let next = first; ; next = values.next()) {
      while (await isSilent(next)) yield ':\n\n'
      const result = await next
      if (result.done === true) return
      yield `data: ${textOf(result.value)}\n\n`
    }
  } catch (error) {
    yield onError(error)
  } finally {
    await values.return?.()
  }
}

/** Resolves to true when nothing came for as long as a connection may be silent. */
async function isSilent(next: Promise<unknown>): Promise<boolean> {
  const { promise: silence, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(true), KEEP_ALIVE_MS)
  try {
    return await Promise.race([next.then(() => false), silence])
  } finally {
    clearTimeout(timer)
  }
}

function valuesOf(operation: AnyEvents, input: EventsInput): AsyncIterator<unknown> {
  if ('events' in operation) return operation.events(input)[Symbol.asyncIterator]()
  return polled(() => operation.read(input), intervalOf(input.query), input.signal)
}

async function* polled(read: () => unknown, intervalMs: number, signal: AbortSignal): AsyncGenerator<unknown> {
  while (!signal.aborted) {
    yield await read()
    await pause(intervalMs, signal)
  }
}

function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, durationMs)
  const stop = () => resolve()
  signal.addEventListener('abort', stop, { once: true })
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  })
}

/** @throws {InvalidRequest} when the interval is none */
function intervalOf(query: unknown): number {
  const { interval }: { readonly interval?: unknown } = isObject(query) ? query : {}
  const intervalMs = parseDuration(String(interval))
  if (intervalMs === undefined) throw new InvalidRequest("interval must be a duration such as '1s'")
  return Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, intervalMs))
}

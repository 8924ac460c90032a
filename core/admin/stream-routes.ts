import type { FastifyInstance } from 'fastify'
import { checkStreamPath, StreamNotFound, type CloseReason } from 'sluice/sdk'
import type { StreamRegistry } from '../stream/registry.ts'
import { ok } from '../http/replies.ts'
import { page, PAGED, type PagedRoute } from './paging.ts'
import { streamView, subscriberView } from './stream-views.ts'

const STOPPED: CloseReason = { code: 'stopped', text: 'stop by user' }

/** What follows an operation's own path: a stream path, with slashes around it or without, as in media URLs. */
type PathParams = { readonly Params: { readonly '*': string } }

/** Streams and subscribers: lists, details and stopping (api.md 3.1, 3.2). */
export function registerStreamRoutes(app: FastifyInstance, streams: StreamRegistry): void {
  app.get<PagedRoute>('/api/stream/list', PAGED, ({ query }) =>
    page(streams.list(), query, (stream) => streamView(stream, streams.mergeWindow)),
  )

  app.get<PathParams>('/api/stream/info/*', ({ params }) => {
    const stream = streams.get(checkStreamPath(params['*']))
    if (stream === undefined) throw new StreamNotFound()
    return ok(streamView(stream, streams.mergeWindow))
  })

  app.get('/api/stream/waitlist', () => {
    const waiting = streams.subscribers().filter(({ streamPath }) => streams.get(streamPath) === undefined)
    const list: Record<string, number> = {}
    for (const { streamPath } of waiting) list[streamPath] = (list[streamPath] ?? 0) + 1
    return { list }
  })

  const subscribers = (path: string | undefined, query: PagedRoute['Querystring']) =>
    page(streams.subscribers(path), query, (subscriber) =>
      subscriberView(streams.get(subscriber.streamPath), subscriber),
    )
  app.get<PagedRoute>('/api/subscribers', PAGED, ({ query }) => subscribers(undefined, query))
  app.get<PagedRoute & PathParams>('/api/subscribers/*', PAGED, ({ params: { '*': path }, query }) =>
    subscribers(path === '' ? undefined : checkStreamPath(path), query),
  )

  app.post<PathParams>('/api/stream/stop/*', ({ params }) => {
    const publisher = streams.get(checkStreamPath(params['*']))?.publisher
    if (publisher === undefined) throw new StreamNotFound()
    publisher.close(STOPPED)
    return ok(undefined)
  })

  app.post<{ Params: { id: number } }>(
    '/api/subscribe/stop/:id',
    { schema: { params: { type: 'object', properties: { id: { type: 'integer', minimum: 0 } } } } },
    ({ params }) => {
      const subscriber = streams.subscriber(params.id)
      if (subscriber === undefined) throw new StreamNotFound()
      subscriber.close(STOPPED)
      return ok(undefined)
    },
  )
}

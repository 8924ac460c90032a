import { createServer } from 'node:http'
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Logger } from 'pino'
import { requestClient, type RoutedRequest } from 'sluice/sdk/http'
import { ERROR_HEADERS, errorReply, failure } from './replies.ts'
import type { HttpLimits } from './front/limits.ts'
import { RouteMethods } from './route-methods.ts'

/** A plugin's `ready` hooks and registered fastify plugins must be done by then. */
const READY_TIMEOUT_MS = 10_000

export type FastifyAppOptions = {
  readonly log: Logger
  readonly limits: HttpLimits
  readonly cors: () => boolean
  /** What a client is told whose path no route has. */
  readonly notFound: (request: RoutedRequest) => string
}

/**
 * A fastify instance that listens nowhere: requests and upgrades are emitted on its `server`. Errors have the body
 * `{code, message, details}`.
 */
export function createFastifyApp({ log, limits, cors, notFound }: FastifyAppOptions): FastifyInstance {
  const logger: FastifyBaseLogger = log
  const app: FastifyInstance = fastify({
    loggerInstance: logger,
    // A logger for each request would only number them.
    childLoggerFactory: (parent) => parent,
    // Its own request lines show the query.
    logController: new LogController({ disableRequestLogging: true }),
    serverFactory: (handler) => createServer(handler),
    pluginTimeout: READY_TIMEOUT_MS,
    bodyLimit: limits.maxBodyBytes,
    routerOptions: { maxParamLength: limits.maxUrlLength },
    frameworkErrors: replyError,
  })
  const routes = new RouteMethods()
  app.addHook('onRoute', ({ url, method }) => routes.add(url, [method].flat()))
  app.setErrorHandler(replyError)
  app.setNotFoundHandler((request, reply) => {
    if (request.method === 'OPTIONS' && cors()) return reply.send()
    const methods = routes.on(request.url.split('?', 1)[0] ?? '')
    void reply.headers(ERROR_HEADERS)
    if (methods.length === 0) return reply.code(404).send(failure(404, notFound(request.raw)))
    return reply.code(405).header('allow', methods.join(', ')).send(failure(405, 'method not allowed'))
  })
  parseJson(app, 'application/json')
  return app
}

function replyError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode, body, unexpected } = errorReply(error)
  const { method, originalUrl: url } = request
  const req = { method, url, ip: requestClient(request.raw).ip }
  if (unexpected) request.log.error({ err: error, req }, 'request failed')
  else request.log.debug({ reason: body.message, req }, 'request refused')
  void reply.code(statusCode).headers(ERROR_HEADERS).send(body)
}

/** Reads bodies of a content type as JSON. Operations without a body are sent with a content type all the same. */
export function parseJson(app: FastifyInstance, contentType: string): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser(contentType, { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined)
    else void parse(request, body.toString(), done)
  })
}

import { createServer, type ServerResponse } from 'node:http'
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Logger } from 'pino'
import { ERROR_HEADERS, errorReply, failure } from 'sluice/sdk/host'
import { isNavigation, requestClient, type RoutedRequest } from 'sluice/sdk/http'
import type { HttpLimits } from './front/limits.ts'
import { isReading, type RouteRule } from './guard.ts'
import type { RouteTable } from './route-table.ts'
import { withoutTokens } from './session-tokens.ts'

/** The time limit for a plugin's `ready` hooks and registered fastify plugins. */
const READY_TIMEOUT_MS = 10_000

export type FastifyAppOptions = {
  readonly log: Logger
  readonly limits: HttpLimits
  readonly cors: () => boolean
  /** The table that all routes are added to. */
  readonly routes: RouteTable
  /**
   * Called before routes that are not public, and where no route matches. Rejects with a `SluiceError` to refuse the request.
   * @returns undefined where there is nothing to wait for
   */
  readonly admit: (
    request: RoutedRequest,
    rule: RouteRule | undefined,
    response: ServerResponse,
  ) => Promise<void> | undefined
  /**
   * Returns the relative address of the page that browsers are shown in place of what a guarded route answers to a path; undefined
   * where there is none.
   */
  readonly pageFor: (request: RoutedRequest) => string | undefined
  /** Returns the message for a client whose path no route has. */
  readonly notFound: (request: RoutedRequest) => string
}

/**
 * Creates a fastify instance that listens nowhere: requests and upgrades are emitted on its `server`. Errors have the body
 * `{code, message, details}`.
 */
export function createFastifyApp(options: FastifyAppOptions): FastifyInstance {
  const { log, limits, cors, routes, admit, pageFor, notFound } = options
  const logger: FastifyBaseLogger = log
  const app: FastifyInstance = fastify({
    loggerInstance: logger,
    // A logger for each request would only number them.
    childLoggerFactory: (parent) => parent,
    genReqId: ({ id }: RoutedRequest) => id ?? '',
    // The request lines of fastify show the query.
    logController: new LogController({ disableRequestLogging: true }),
    serverFactory: (handler) => createServer(handler),
    pluginTimeout: READY_TIMEOUT_MS,
    bodyLimit: limits.maxBodyBytes,
    routerOptions: { maxParamLength: limits.maxUrlLength },
    frameworkErrors: replyError,
  })
  app.addHook('onRoute', (route) => {
    routes.add(route)
    const { access, changes = false } = route.config ?? {}
    if (access === 'public') return
    const admitRoute = async ({ raw, method }: FastifyRequest, reply: FastifyReply) => {
      const isChange = changes || !isReading(method)
      await admit(raw, { access: access ?? (isChange ? 'admin' : 'user'), changes: isChange }, reply.raw)
    }
    const leadRoute = async ({ raw, method }: FastifyRequest, reply: FastifyReply) => {
      const way = isReading(method) ? pageFor(raw) : undefined
      if (way === undefined) return undefined
      void reply.header('vary', 'accept')
      if (!isNavigation(raw)) return undefined
      await admit(raw, { access: 'page', changes: false }, reply.raw)
      return reply.redirect(way)
    }
    route.onRequest = [leadRoute, admitRoute, ...[route.onRequest ?? []].flat()]
  })
  app.setErrorHandler(replyError)
  const replyNotFound = (request: FastifyRequest, reply: FastifyReply) => {
    if (request.method === 'OPTIONS' && cors()) return reply.send()
    const methods = routes.methodsOn(request.url.split('?', 1)[0] ?? '')
    void reply.headers(ERROR_HEADERS)
    // A route that has the method may answer itself that there is nothing, as that of a folder's files.
    const isUnknown = methods.length === 0 || methods.includes(request.method)
    if (isUnknown) return reply.code(404).send(failure(404, notFound(request.raw)))
    return reply.code(405).header('allow', methods.join(', ')).send(failure(405, 'method not allowed'))
  }
  app.setNotFoundHandler((request, reply) => {
    // A client that hangs up after its request gets its answer only at once.
    const admitted = admit(request.raw, undefined, reply.raw)
    return admitted === undefined ? replyNotFound(request, reply) : admitted.then(() => replyNotFound(request, reply))
  })
  parseJson(app)
  return app
}

function replyError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode, headers, body, unexpected } = errorReply(error)
  const { method, originalUrl } = request
  const url = withoutTokens(originalUrl)
  const req = { method, url, ip: requestClient(request.raw).ip }
  const requestId = request.id
  if (unexpected) request.log.error({ err: error, req, requestId }, 'request failed')
  else request.log.debug({ reason: body.message, req, requestId }, 'request refused')
  void reply.code(statusCode).headers(headers).send(body)
}

/** Parses JSON bodies. Requests without a body are sent with a content type all the same. */
function parseJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined)
    else void parse(request, body.toString(), done)
  })
}

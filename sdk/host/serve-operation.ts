import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Access, RouteAccess } from '../plugin/operations.ts'
import type { RoutedRequest } from '../http/request.ts'
import type { AnyOperation } from './any-operation.ts'
import { clientSignal } from './client-signal.ts'
import { errorReply, problemOf } from './error-reply.ts'
import { InputReader, type Input } from './input-reader.ts'
import { takesText, type JsonSchema } from './json-schema.ts'
import { longListText } from './long-list.ts'
import { isList, operationBody, unsetBody } from './operation-body.ts'
import { PAGE_QUERY } from './paging.ts'
import { formatted, JSON_TYPE, jsonOf, type Representation } from './representation.ts'
import { namedParams, partsOf, type Spelling } from './spelling.ts'

/** The name of every user while login is off. */
export const ANONYMOUS = 'anonymous'

const FORM = 'application/x-www-form-urlencoded'
const TEXT = 'text/plain'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The access that the route needs; unless set, `user` for routes that read, `admin` for routes that change something. */
    access?: RouteAccess
    /** True for a route that changes something, though it is a `GET`. */
    changes?: boolean
    /** See `PageFolder.standsFor`. */
    standsFor?: Readonly<Record<string, string>>
  }
}

/** The input that the handler of an operation receives. */
export type HandledInput = Parameters<AnyOperation['handle']>[0]

/** The other processes of the server, as operations ask them. */
export interface OperationPeers {
  /** True while other processes exist. While there are none, operations are answered here alone. */
  readonly hasOthers: boolean
  /**
   * The answer of those processes that the reach of the operation names.
   * @param own answers here
   */
  answer(operation: AnyOperation, input: HandledInput, own: () => Promise<unknown>): Promise<unknown>
}

/**
 * Answers one spelling of an operation as a route of `app`.
 * @param peers the other processes; none unless given
 */
export function serveOperation(
  app: FastifyInstance,
  operation: AnyOperation,
  { method, path, url }: Spelling,
  peers: OperationPeers | undefined,
): void {
  const { params, body, errors = 'gateway', reach = 'here' } = operation
  const asked = reach === 'here' ? undefined : peers
  const reader = new InputReader({ params, query: querySchemaOf(operation), body, isBodyInQuery: method === 'GET' })
  const parts = partsOf(path, params)
  app.route<{ Params: Record<string, string>; Querystring: Record<string, unknown> }>({
    method,
    url,
    config: { access: accessOf(operation), changes: operation.method !== 'GET' },
    onRequest: async ({ raw }) => settleContentType(raw.headers, body),
    ...(errors === 'problem' && { errorHandler: sendProblem }),
    handler: async (request, reply) => {
      const { raw, query, body } = request
      const input = reader.read({ params: namedParams(parts, request.params), query, body })
      const { signal, release } = clientSignal(raw)
      try {
        const given = { ...input, user: userOf(raw), request: raw, signal }
        const answer =
          asked?.hasOthers === true
            ? await asked.answer(operation, given, async () => operation.handle(given))
            : alone(operation, await operation.handle(given))
        return send(operation, answer, { request, reply, query: input.query })
      } catch (error) {
        if (errors === 'in-band') return sendInBand(operation, error, request, reply)
        throw error
      } finally {
        release()
      }
    },
  })
}

/**
 * Sets the content type by which a body is read. Any body is JSON, even if `curl -d` calls it a form and `fetch` plain text,
 * unless a text is wanted, which may be sent as it is; a body that no operation wants is read as text, and thrown away.
 * Operations without a body are sent with a content type all the same.
 */
function settleContentType(headers: IncomingHttpHeaders, body: JsonSchema | undefined): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers
  if (length === '0' && encoding === undefined) {
    delete headers['content-type']
    return
  }
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? FORM
  if (body === undefined) headers['content-type'] = TEXT
  else if (type === FORM || (type === TEXT && !takesText(body))) headers['content-type'] = 'application/json'
}

/** Returns the access that an operation needs: its own, else `user` for `GET` and `admin` for other methods. */
export function accessOf({ access, method }: Pick<AnyOperation, 'access' | 'method'>): Access {
  return access ?? (method === 'GET' ? 'user' : 'admin')
}

/** The parameters of an operation's query, those of paging included. */
export function querySchemaOf({ query, paged = false }: AnyOperation): JsonSchema {
  const schema: JsonSchema = query ?? { type: 'object' }
  return paged ? { ...schema, properties: { ...PAGE_QUERY, ...schema.properties } } : schema
}

function userOf({ user = ANONYMOUS }: RoutedRequest): string {
  return user
}

/**
 * The answer of the only process, as it is with several. A list has nothing to be joined with, and one of which only a page is
 * made is left so.
 */
function alone({ reach }: AnyOperation, answer: unknown): unknown {
  const isJoined = typeof reach === 'object' && 'all' in reach
  return isJoined && (Array.isArray(answer) || !isList(answer)) ? reach.all([answer]) : answer
}

type Exchange = { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly query: Input['query'] }

function send(operation: AnyOperation, answer: unknown, { request, reply, query }: Exchange): FastifyReply {
  const { contentType, wire, method } = operation
  if (contentType !== undefined) return reply.type(contentType).send(answer)
  if (wire === 'empty') return reply.code(204).send()
  const long = longListText(operation, answer, query)
  if (long !== undefined) return reply.type(JSON_TYPE).send(Readable.from(long, { highWaterMark: 1 }))
  const body = operationBody(operation, answer, query)
  const { format } = request.query as { readonly format?: unknown }
  const wanted = wire === 'bare' && method === 'GET' ? formatted(body, format) : undefined
  return sendAs(wanted ?? jsonOf(body), reply)
}

function sendAs({ contentType, text }: Representation, reply: FastifyReply): FastifyReply {
  return reply.type(contentType).send(text)
}

/** An error as clients expect it that look at the body alone, with all that a success would have, unset. */
function sendInBand(
  operation: AnyOperation,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { statusCode, headers, body, unexpected } = errorReply(error)
  if (unexpected) request.log.error({ err: error, requestId: request.id }, 'request failed')
  return sendAs(jsonOf({ ...unsetBody(operation), code: statusCode, message: body.message }), reply.headers(headers))
}

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode, headers, body, unexpected } = errorReply(error)
  if (unexpected) request.log.error({ err: error, requestId: request.id }, 'request failed')
  const problem = problemOf(statusCode, body.message)
  void reply.code(statusCode).headers(headers).type('application/problem+json').send(JSON.stringify(problem))
}

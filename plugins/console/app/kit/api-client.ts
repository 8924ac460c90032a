import type { Api } from 'sluice/sdk/console'
import type { Paths } from 'sluice/api'
import { readEvents } from './event-stream.ts'
import { session } from './session.ts'

/** The server's root as the browser reaches it: the console is at the first level below it. */
const SERVER_ROOT = new URL('..', document.baseURI).pathname
/** Codes in the body of a success; others of that status are failures, which some operations answer so. */
const SUCCESS: ReadonlySet<unknown> = new Set([0, 200])
const UNAUTHENTICATED = 401
const FORBIDDEN = 403
const HALF_AN_HOUR_S = 30 * 60

/** A refusal of the server, with its own message. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: number | string | undefined

  constructor(message: string, status: number, code?: number | string) {
    super(message)
    this.status = status
    this.code = code
  }
}

type Parts = { readonly params?: unknown; readonly query?: unknown; readonly body?: unknown }

export const api: Api<Paths> = {
  async call(operation, ...[input, signal]) {
    const answer = await ask(operation, input, { ...(signal && { signal }) })
    return (await readAnswer(answer)) as never
  },
  send(operation, input) {
    void ask(operation, input, { keepalive: true }).catch(() => undefined)
  },
  async *events(operation, input, signal) {
    const answer = await ask(operation, input, { signal }, 'text/event-stream')
    if (!answer.ok || answer.body === null) await readAnswer(answer)
    else for await (const data of readEvents(answer.body)) yield JSON.parse(data) as never
  },
  url: serverUrl,
  mediaUrl,
}

async function mediaUrl(
  path: string,
  { plugin, streamPath, seconds = HALF_AN_HOUR_S }: Parameters<Api['mediaUrl']>[1],
): Promise<string> {
  const expire = Math.floor(Date.now() / 1000) + seconds
  const input = { params: { streamPath }, query: { plugin, action: 'play', expire } } as const
  const signature = await api.call('GET /api/stream/signedquery/{streamPath}', input).then(
    ({ data }) => String(new URLSearchParams(data.query)),
    (error: unknown) => {
      if (error instanceof ApiError && error.status === FORBIDDEN) return ''
      throw error
    },
  )
  const joint = path.includes('?') ? '&' : '?'
  return serverUrl(path) + (signature === '' ? '' : joint + signature)
}

function serverUrl(path: string): string {
  return SERVER_ROOT + path.replace(/^\/+/u, '')
}

async function ask(
  operation: string,
  input: Parts | undefined,
  options: Pick<RequestInit, 'signal' | 'keepalive'>,
  accept = 'application/json',
): Promise<Response> {
  const { params, query, body } = input ?? {}
  const [method = '', template = ''] = operation.split(' ', 2)
  const headers: Record<string, string> = { accept }
  if (session.token !== undefined) headers['access-token'] = session.token
  if (body !== undefined) headers['content-type'] = 'application/json'
  const answer = await fetch(serverUrl(pathOf(template, params)) + queryOf(query), {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...options,
  })
  const newToken = answer.headers.get('new-token')
  if (newToken !== null) session.token = newToken
  if (answer.status === UNAUTHENTICATED) session.token = undefined
  return answer
}

/** Slashes of a value stay: they are those of stream paths. */
function pathOf(template: string, params: unknown): string {
  const values = (params ?? {}) as Readonly<Record<string, string | number>>
  return template.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
    String(values[name] ?? '')
      .split('/')
      .map(encodeURIComponent)
      .join('/'),
  )
}

function queryOf(query: unknown): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of [value].flat()) if (one !== undefined && one !== null) search.append(name, String(one))
  }
  return search.size === 0 ? '' : `?${search}`
}

async function readAnswer(answer: Response): Promise<unknown> {
  const type = answer.headers.get('content-type') ?? ''
  if (!type.includes('json')) {
    if (!answer.ok) throw new ApiError((await answer.text()) || answer.statusText, answer.status)
    if (answer.status === 204) return undefined
    return type.startsWith('text/') ? answer.text() : answer.blob()
  }
  const json = (await answer.json()) as unknown
  const { code, message, detail } = (json ?? {}) as { code?: number | string; message?: string; detail?: string }
  const failed = !answer.ok || (typeof code === 'number' && message !== undefined && !SUCCESS.has(code))
  if (failed) throw new ApiError(message ?? detail ?? answer.statusText, answer.status, code)
  return json
}

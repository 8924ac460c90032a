import type { PullRequest } from 'sluice/sdk'
import { maskUrl } from 'sluice/sdk'
import { networkReason, SourceError, SourceRequests } from 'sluice/sdk/http'
import type { Response } from 'undici'

const SDP = 'application/sdp'
/** The most bytes of an answer, far more than descriptions have. */
const MAX_ANSWER_BYTES = 64 * 1024
const MAX_SHOWN_LENGTH = 200
/** The shortest text that is masked as a secret; a shorter one may be part of any word. */
const MIN_SECRET_LENGTH = 4
/** The time for an answer; a server that waits for a stream answers when there is one. */
const ANSWER_TIMEOUT_MS = 30_000
/** The longest that the answer to the DELETE is waited for. */
const END_TIMEOUT_MS = 2000
/** The schemes of WHIP and WHEP addresses, with the schemes of HTTP that they stand for. */
const HTTP_SCHEMES: Readonly<Record<string, string>> = { whip: 'http', whips: 'https', whep: 'http', wheps: 'https' }

export type HttpSessionInit = Pick<PullRequest, 'url' | 'header' | 'dial'> & {
  readonly offer: string
  /** Aborts the session's requests. */
  readonly signal: AbortSignal
}

type SessionParts = {
  readonly requests: SourceRequests
  /** Ends the connections of the requests. */
  readonly stop: AbortController
  readonly answer: string
  /** The address for the DELETE that ends the session; undefined when the server has named none. */
  readonly resource: URL | undefined
}

/** A session at a server of WHIP (RFC 9725) or WHEP, from the POST that begins it to the DELETE that ends it. */
export class HttpSession {
  readonly #parts: SessionParts

  private constructor(parts: SessionParts) {
    this.#parts = parts
  }

  get answer(): string {
    return this.#parts.answer
  }

  /**
   * Sends an offer and waits for the answer. Redirects are followed, and a server that asks for authentication gets it.
   * @throws {SourceError} when the server can't be reached, refuses, or answers with something else. A session is ended first when its
   * answer could not be read.
   */
  static async begin(init: HttpSessionInit): Promise<HttpSession> {
    const { offer, signal } = init
    // A session is ended even after its signal has aborted.
    const stop = new AbortController()
    const ending = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)])
    try {
      const requests = new SourceRequests({ ...init, url: httpUrl(init.url) }, stop.signal)
      const content = { type: SDP, body: offer }
      const response = await requests.ask({ method: 'POST', content, accept: SDP, signal: ending })
      if (!response.ok) throw await refusalOf(response, init, requests)
      const resource = resourceOf(response)
      const answer = await textOf(response).catch(async (error: unknown) => {
        // The server has created a session all the same.
        await endSession(requests, resource)
        throw error
      })
      return new HttpSession({ requests, stop, answer, resource })
    } catch (error) {
      stop.abort()
      signal.throwIfAborted()
      throw error
    }
  }

  /** Ends the session at the server. It never rejects. */
  async end(): Promise<void> {
    const { requests, resource, stop } = this.#parts
    await endSession(requests, resource)
    stop.abort()
  }
}

async function endSession(requests: SourceRequests, url: URL | undefined): Promise<void> {
  if (url === undefined) return
  try {
    const answer = await requests.ask({ url, method: 'DELETE', signal: AbortSignal.timeout(END_TIMEOUT_MS) })
    await answer.body?.cancel()
  } catch {
    // The server ends the session itself when the peer is gone.
  }
}

function httpUrl(url: string): string {
  const [, scheme = '', rest = ''] = /^([a-z]+)(:.*)$/isu.exec(url) ?? []
  const http = HTTP_SCHEMES[scheme.toLowerCase()]
  return http === undefined ? url : http + rest
}

function resourceOf({ headers, url }: Response): URL | undefined {
  const location = headers.get('location')
  return location === null ? undefined : (URL.parse(location, url) ?? undefined)
}

async function refusalOf(response: Response, init: HttpSessionInit, requests: SourceRequests): Promise<SourceError> {
  const { status, url } = response
  // The refusal is known even when its body can't be read.
  const text = await textOf(response).catch(() => '')
  const why = withoutSecrets(explanationOf(response, text), init).slice(0, MAX_SHOWN_LENGTH)
  const shown = `the server answered ${status} for ${maskUrl(url)}`
  return new SourceError(why === '' ? `${shown}${requests.advice(response)}` : `${shown}: ${why}`, { status })
}

/** The text in the body of a refusal; empty when it is meant for programs. */
function explanationOf({ headers }: Response, text: string): string {
  const type = headers.get('content-type') ?? ''
  if (type.includes('html')) return ''
  if (!type.includes('json')) return text.trim()
  try {
    const { message, detail, title } = JSON.parse(text) as Readonly<Record<string, unknown>>
    return [message, detail, title].find((part) => typeof part === 'string') ?? ''
  } catch {
    return ''
  }
}

/** Masks secrets in the server's text, which may repeat its request: the user and the query of the address, and headers. */
function withoutSecrets(text: string, { url, header }: HttpSessionInit): string {
  const { username = '', password = '', searchParams } = URL.parse(url) ?? {}
  const headers = Object.values(header).flatMap((values) => values.flatMap((value) => [value, ...value.split(' ')]))
  const secrets = [username, password, ...(searchParams?.values() ?? []), ...headers]
  return secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .reduce((shown, secret) => shown.replaceAll(secret, '******'), text)
}

async function textOf({ body, url }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  try {
    for await (const chunk of body ?? []) {
      const bytes = chunk as Uint8Array
      sizeBytes += bytes.length
      if (sizeBytes > MAX_ANSWER_BYTES) break
      chunks.push(bytes)
    }
  } catch (cause) {
    throw new SourceError(`the answer of ${maskUrl(url)} broke off: ${networkReason(cause)}`, { cause })
  }
  if (sizeBytes > MAX_ANSWER_BYTES) throw new SourceError(`the answer of ${maskUrl(url)} is too long`)
  return Buffer.concat(chunks).toString('utf8')
}

import type { PullRequest } from 'sluice/sdk'
import { maskUrl } from 'sluice/sdk'
import { httpDispatcher, networkReason, redirectOf, SourceError, SourceRequests } from 'sluice/sdk/http'
import { fetch, type Response } from 'undici'

const SDP = 'application/sdp'
/** Far more than descriptions have. */
const MAX_ANSWER_BYTES = 64 * 1024
const MAX_SHOWN_LENGTH = 200
/** What is shorter is no secret, and may be part of any word. */
const MIN_SECRET_LENGTH = 4
/** A server that waits for a stream answers when that is there. */
const ANSWER_TIMEOUT_MS = 30_000
/** The server is told that a session is over, but not waited for longer. */
const END_TIMEOUT_MS = 2000
/** The schemes by which WHIP and WHEP are told from other addresses, and what they stand for. */
const HTTP_SCHEMES: Readonly<Record<string, string>> = { whip: 'http', whips: 'https', whep: 'http', wheps: 'https' }

export type HttpSessionInit = Pick<PullRequest, 'url' | 'header' | 'dial'> & {
  readonly offer: string
  /** Gives up. */
  readonly signal: AbortSignal
}

/** A session at a server of WHIP (RFC 9725) or WHEP, from the POST that begins it to the DELETE that ends it. */
export class HttpSession {
  readonly answer: string
  readonly #init: HttpSessionInit
  /** Where it is ended; undefined where the server has not said. */
  readonly #resource: URL | undefined

  private constructor(init: HttpSessionInit, answer: string, resource: URL | undefined) {
    this.#init = init
    this.answer = answer
    this.#resource = resource
  }

  /**
   * Sends an offer, and waits for the answer. Redirects are followed.
   * @throws {SourceError} when the server can't be reached, refuses, or answers with something else. A session whose answer
   *   could not be read is ended before.
   */
  static async begin(init: HttpSessionInit): Promise<HttpSession> {
    const { offer, dial, signal } = init
    const requests = new SourceRequests({ ...init, url: httpUrl(init.url) }, signal)
    const dispatcher = httpDispatcher(dial, { signal })
    const ending = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)])
    const response = await requests.follow(async (url, headers) => {
      headers.set('content-type', SDP)
      headers.set('accept', SDP)
      const init = { method: 'POST', body: offer, redirect: 'manual', dispatcher, headers, signal: ending } as const
      const answer = await fetch(url.href, init)
      const location = redirectOf(answer.status, answer.headers.get('location'))
      if (location !== undefined) await answer.body?.cancel()
      return location ?? answer
    })
    if (!response.ok) throw await refusalOf(response, init)
    const resource = resourceOf(response)
    try {
      return new HttpSession(init, await textOf(response), resource)
    } catch (error) {
      // The server has made a session all the same.
      await new HttpSession(init, '', resource).end()
      throw error
    }
  }

  /** Tells the server that the session is over. It never rejects. */
  async end(): Promise<void> {
    const resource = this.#resource
    if (resource === undefined) return
    const signal = AbortSignal.timeout(END_TIMEOUT_MS)
    try {
      const requests = new SourceRequests({ ...this.#init, url: httpUrl(this.#init.url) }, signal)
      const dispatcher = httpDispatcher(this.#init.dial, { signal })
      await requests.follow(async (url, headers) => {
        const answer = await fetch(url.href, { method: 'DELETE', redirect: 'manual', dispatcher, headers, signal })
        await answer.body?.cancel()
        return answer
      }, resource)
      await dispatcher.destroy()
    } catch {
      // It finds out by itself that nobody is there any more.
    }
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

async function refusalOf(response: Response, init: HttpSessionInit): Promise<SourceError> {
  const { status, url } = response
  // That it refuses is known without its reasons.
  const text = await textOf(response).catch(() => '')
  const why = withoutSecrets(explanationOf(response, text), init).slice(0, MAX_SHOWN_LENGTH)
  const shown = `the server answered ${status} for ${maskUrl(url)}`
  return new SourceError(why === '' ? shown : `${shown}: ${why}`, { status })
}

/** What a server says of its refusal, as far as it is for people to read. */
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

/** A server may repeat what it was told: the user and the query of the address, and headers. */
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

import http, { type IncomingHttpHeaders } from 'node:http'
import { keep } from '../peers/lifetime.ts'

export type HlsAnswer = {
  /** Where it came from, redirections followed. */
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Asks once; redirections are not followed. */
export async function ask(url: string, init: RequestInit = {}): Promise<HlsAnswer> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  return { url, status: response.status, headers: response.headers, text: await response.text() }
}

/** The addresses in a playlist, as a player resolves them; `filter` picks those wanted. */
export function addressesIn({ url, text }: Pick<HlsAnswer, 'url' | 'text'>, filter: RegExp = /./u): string[] {
  const addresses = text.split('\n').flatMap((line) => {
    const uri = line.startsWith('#') ? /URI="([^"]+)"/u.exec(line)?.[1] : line.trim()
    return uri === undefined || uri === '' ? [] : [new URL(uri, url).href]
  })
  return addresses.filter((address) => filter.test(address))
}

/** A viewer that has got as far as the first rendition's playlist. */
export type HlsViewer = {
  readonly multivariant: HlsAnswer
  readonly media: HlsAnswer
  /** Of the media playlist, with its query. */
  readonly mediaUrl: string
}

/** Comes as a player does: the multivariant playlist, then that of its first rendition. */
export async function watch(url: string): Promise<HlsViewer> {
  const multivariant = await ask(url)
  const [mediaUrl] = addressesIn(multivariant)
  if (multivariant.status !== 200 || mediaUrl === undefined) {
    throw new Error(`${url} answered ${multivariant.status} ${multivariant.text}`)
  }
  return { multivariant, mediaUrl, media: await ask(mediaUrl) }
}

/** Adds parameters to an address that may have a query. */
export function withQuery(url: string, query: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${query}`
}

export type RawAnswer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Buffer }

/** Asks for a target as it is, which `fetch` would tidy up first. */
export async function askRaw(
  origin: string,
  path: string,
  headers: Record<string, string> = {},
  agent: http.Agent | false = false,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin)
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>()
  const request = http.get({ hostname, port, path, headers, agent }, (response) => {
    const parts: Buffer[] = []
    response.on('data', (part: Buffer) => parts.push(part))
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
    )
  })
  request.on('error', reject)
  const letGo = keep({ close: () => void request.destroy() })
  return promise.finally(letGo)
}

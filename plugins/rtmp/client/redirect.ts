import { MalformedError } from 'sluice/sdk/media'
import { parseRtmpUrl } from '../wire/url.ts'
import { RtmpClientError } from './client-error.ts'

/**
 * Where a server leads a client that came for `url`: to the address of a stream, or to an app that has the same stream. The
 * name and password in `url` are told to the same host alone, and not in the open after TLS.
 * @param knowsName the server had been told the name of the stream; else it can only mean an app, unless the name is in it
 * @throws {RtmpClientError} when it leads elsewhere than to an address of RTMP
 */
export function redirectedUrl(url: string, redirect: string, knowsName: boolean): string {
  const { host, tls, name } = parseRtmpUrl(url)
  const named = nameIn(redirect)
  const isStream = named !== undefined && (knowsName || named === withoutQuery(name))
  const next = isStream ? redirect : `${redirect.replace(/\/+$/u, '')}/${name}`
  try {
    const parsed = parseRtmpUrl(next)
    const isTrusted = parsed.host.toLowerCase() === host.toLowerCase() && (parsed.tls || !tls)
    const user = isTrusted && parsed.user === undefined ? userInformationOf(url) : ''
    // No text but a function: `$` in a password means itself.
    return next.replace('://', () => `://${user}`)
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    throw new RtmpClientError('the server redirects to what is no address of RTMP', { cause: error })
  }
}

/** The name of the stream in an address, without its query; undefined where there is none. */
function nameIn(address: string): string | undefined {
  try {
    return withoutQuery(parseRtmpUrl(address).name)
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    return undefined
  }
}

function withoutQuery(name: string): string {
  const mark = name.indexOf('?')
  return mark < 0 ? name : name.slice(0, mark)
}

/** With its `@`; empty when there is none. */
function userInformationOf(url: string): string {
  return /^\w+:\/\/(?<user>[^/?#]*@)/u.exec(url)?.groups?.['user'] ?? ''
}

import { MalformedError } from 'sluice/sdk/media'
import { parseRtmpUrl } from '../wire/url.ts'
import { RtmpClientError } from './client-error.ts'

/**
 * Returns the URL to connect to next when a server answers a client that came for `url` with a redirect: the address of a stream, or of
 * an app that has the same stream. The name and password in `url` are passed on to the same host only, and never from rtmps to rtmp.
 * @param knowsName true when the client had already sent the stream's name; else the redirect names an app, unless the name is in it
 * @throws {RtmpClientError} when the redirect is not an RTMP address
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
    // The replacement is a function, as `$` would be special in a text.
    return next.replace('://', () => `://${user}`)
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    throw new RtmpClientError('the server redirects to what is no address of RTMP', { cause: error })
  }
}

/** The name of the stream in an address, without its query; undefined when there is none. */
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

/** The user information of a URL with its `@`; empty when there is none. */
function userInformationOf(url: string): string {
  return /^\w+:\/\/(?<user>[^/?#]*@)/u.exec(url)?.groups?.['user'] ?? ''
}

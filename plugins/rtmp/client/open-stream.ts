import { randomBytes } from 'node:crypto'
import type { PullRequest, PushRequest } from 'sluice/sdk'
import { MalformedError } from 'sluice/sdk/media'
import { parseRtmpUrl } from '../wire/url.ts'
import { answerChallenge } from './challenge.ts'
import { RtmpClientError } from './client-error.ts'
import type { RtmpClientOptions } from './client-options.ts'
import { redirectedUrl } from './redirect.ts'
import { RtmpClient } from './rtmp-client.ts'

const MAX_REDIRECTS = 5
/** The most challenges of a server: it first asks for the name, then makes a challenge, and then accepts or refuses the answer. */
const MAX_CHALLENGES = 2

type OpenOptions = {
  readonly request: Pick<PullRequest | PushRequest, 'url' | 'dial' | 'step'>
  readonly verifyCertificate: boolean
  /** Aborts the opening; it has no effect on a stream that is open. */
  readonly signal: AbortSignal
  readonly client: Omit<RtmpClientOptions, 'url' | 'socket' | 'credentials'>
  /** Asks for the stream, on a connection that has come as far as the app. */
  readonly begin: (client: RtmpClient) => Promise<void>
}

/**
 * Opens a stream of a server: connects, authenticates if the server asks for it, and follows redirects.
 * @throws {Error} when the server can't be reached, refuses, or the signal aborts; the message contains no secret
 */
export async function openStream(options: OpenOptions): Promise<RtmpClient> {
  const { request, signal } = options
  let { url } = request
  let credentials: string | undefined
  let challenges = 0
  let redirects = 0
  for (;;) {
    const target = targetOf(url)
    let knowsName = false
    const begin = (client: RtmpClient) => {
      knowsName = true
      return options.begin(client)
    }
    try {
      return await openOnce({ ...options, begin }, url, credentials)
    } catch (error) {
      const status = error instanceof RtmpClientError ? error.status : undefined
      if (status === undefined || signal.aborted) throw error
      const { description, redirect } = status
      if (redirect !== undefined) {
        if (redirects++ === MAX_REDIRECTS)
          throw new RtmpClientError(`more than ${MAX_REDIRECTS} redirects`, { cause: error })
        url = redirectedUrl(url, redirect, knowsName)
        credentials = undefined
        challenges = 0
        request.step('redirect')
        continue
      }
      const clientNonce = randomBytes(4).toString('hex')
      credentials = answerChallenge({ description, app: target.app, user: target.user, clientNonce })
      if (credentials === undefined) throw error
      if (challenges++ === MAX_CHALLENGES) throw new RtmpClientError('the server asks for the password again and again')
      request.step('authenticate')
    }
  }
}

function targetOf(url: string) {
  try {
    return parseRtmpUrl(url)
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    throw new RtmpClientError(`not an address of RTMP: ${error.message}`, { cause: error })
  }
}

async function openOnce(options: OpenOptions, url: string, credentials: string | undefined): Promise<RtmpClient> {
  const { request, verifyCertificate, signal, begin } = options
  const { tls, host, port } = targetOf(url)
  const secured = tls ? { tls: { verifyCertificate } } : {}
  const socket = await request.dial.connect({ host, port, ...secured, signal })
  const given = credentials === undefined ? {} : { credentials }
  const client = new RtmpClient({ ...options.client, ...given, url, socket })
  const stop = () => client.close('stopped')
  signal.addEventListener('abort', stop, { once: true })
  try {
    if (signal.aborted) stop()
    request.step('handshake')
    await client.handshaken
    request.step('connect to the app')
    await client.open()
    await begin(client)
    return client
  } catch (error) {
    client.close('it has failed')
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

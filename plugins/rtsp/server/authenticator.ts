import { randomBytes } from 'node:crypto'
import type { StreamManager } from 'sluice/sdk'
import { checkAuthorization, createChallenges, createNonce, parseAuthorization } from 'sluice/sdk/http'
import { tryParse } from 'sluice/sdk/media'
import type { RtspRequest } from '../wire/message/message.ts'
import { isSameStream } from '../wire/signed-uri.ts'
import { parseStreamTarget } from '../wire/url.ts'
import { RtspRefusal } from './refusal.ts'

const REALM = 'Sluice'

/** The methods of players; a ticket is valid for these only. */
const PLAYER_METHODS: readonly string[] = [
  'DESCRIBE',
  'SETUP',
  'PLAY',
  'PAUSE',
  'TEARDOWN',
  'GET_PARAMETER',
  'SET_PARAMETER',
]

/** The name and password of the plugin's section; an empty name lets everybody in. */
export type Credentials = { readonly username: string; readonly password: string }

/** Admits clients with the configured name and password (RFC 7616, RFC 7617). The gates of the stream are asked separately. */
export class ServerAuthenticator {
  readonly #credentials: () => Credentials
  readonly #tickets: Pick<StreamManager, 'hasTicket'>
  readonly #nonceKey = randomBytes(32)

  /** @param tickets the tickets by which programs of this server play without a name */
  constructor(credentials: () => Credentials, tickets: Pick<StreamManager, 'hasTicket'>) {
    this.#credentials = credentials
    this.#tickets = tickets
  }

  /** @throws {RtspRefusal} with challenges when the client is to prove who it is */
  check(request: RtspRequest): void {
    const { username, password } = this.#credentials()
    if (username === '' || this.#hasTicket(request)) return
    const authorization = tryParse(parseAuthorization, request.headers.get('authorization'))
    const account = { realm: REALM, username, password, nonceKey: this.#nonceKey }
    const { method, uri } = request
    const signed = { method, isFor: (signedUri: string) => isSameStream(signedUri, uri) }
    const result =
      authorization === undefined ? 'denied' : checkAuthorization(authorization, signed, account, Date.now())
    if (result === 'granted') return
    const nonce = createNonce(this.#nonceKey, Date.now(), randomBytes(8))
    const challenges = createChallenges(REALM, nonce, result === 'stale')
    throw new RtspRefusal(
      401,
      'Unauthorized',
      challenges.map((challenge) => ['WWW-Authenticate', challenge]),
    )
  }

  #hasTicket({ method, uri }: RtspRequest): boolean {
    if (!PLAYER_METHODS.includes(method.toUpperCase())) return false
    // A request without a valid path has no ticket; it is refused later.
    const target = tryParse((address) => parseStreamTarget(address, ''), uri)
    return target !== undefined && this.#tickets.hasTicket(target.streamPath, target.query)
  }
}

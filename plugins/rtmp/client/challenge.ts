import { createHash } from 'node:crypto'
import type { RtmpUser } from '../wire/url.ts'
import { RtmpClientError } from './client-error.ts'

/** The schemes by which servers ask who a client is, in the description of the refusal of `connect`. */
const AUTH_MODE = /\bauthmod=(?<mode>adobe|llnw)\b/u
const FAILED = /[?&]reason=(?:authfailed|nosuchuser)\b/u
const CHALLENGE = /\?(?<fields>reason=needauth[^\s\]]*)/u
/** Of a challenge no more is read than a server has use for. */
const MAX_DESCRIPTION_LENGTH = 2048
const REALM = 'live'
const METHOD = 'publish'
const NONCE_COUNT = '00000001'

type ChallengeOptions = {
  readonly description: string
  /** As `connect` named it. */
  readonly app: string
  readonly user: RtmpUser | undefined
  /** Something new each time: eight hexadecimal digits. */
  readonly clientNonce: string
}

/**
 * What a client adds to app and tcUrl, without `?`, to be let in by a server that has refused `connect` to ask who it is: as
 * Adobe's encoders do it (`authmod=adobe`), or those of Limelight (`authmod=llnw`). The password is not in it. Undefined when
 * the server has refused for another reason.
 * @throws {RtmpClientError} when the server knows no such user or password, or there is none to tell it
 */
export function answerChallenge({ description, app, user, clientNonce }: ChallengeOptions): string | undefined {
  const text = description.slice(0, MAX_DESCRIPTION_LENGTH)
  const mode = AUTH_MODE.exec(text)?.groups?.['mode']
  if (mode === undefined) return undefined
  if (user === undefined) {
    throw new RtmpClientError(
      'the server asks for a name and password: say them in the address, rtmp://name:password@…',
    )
  }
  if (FAILED.test(text)) throw new RtmpClientError('the server does not take this name and password')
  const fields = CHALLENGE.exec(text)?.groups?.['fields']
  // First it only wants to know who asks, and then makes the challenge for them.
  if (fields === undefined) return `authmod=${mode}&user=${encodeURIComponent(user.name)}`
  const challenge = fieldsOf(fields)
  return mode === 'adobe'
    ? answerAdobe(user, challenge, clientNonce)
    : answerLimelight(user, challenge, app, clientNonce)
}

/** The values are taken as they are: a digest has `=` and `+` in it. */
function fieldsOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('&').map((field) => {
      const end = field.indexOf('=')
      return end < 0 ? [field, ''] : [field.slice(0, end), field.slice(end + 1)]
    }),
  )
}

function answerAdobe(
  { name, password }: RtmpUser,
  challenge: ReadonlyMap<string, string>,
  clientNonce: string,
): string {
  const opaque = challenge.get('opaque') ?? ''
  const secret = md5(`${name}${challenge.get('salt') ?? ''}${password}`, 'base64')
  const response = md5(`${secret}${opaque || (challenge.get('challenge') ?? '')}${clientNonce}`, 'base64')
  const answer = `authmod=adobe&user=${encodeURIComponent(name)}&challenge=${clientNonce}&response=${response}`
  return opaque === '' ? answer : `${answer}&opaque=${opaque}`
}

/** As digest authentication of HTTP with `qop=auth` (RFC 2617 3.2.2.1). */
function answerLimelight(
  { name, password }: RtmpUser,
  challenge: ReadonlyMap<string, string>,
  app: string,
  clientNonce: string,
): string {
  const nonce = challenge.get('nonce') ?? ''
  const who = md5(`${name}:${REALM}:${password}`, 'hex')
  const what = md5(`${METHOD}:/${app}${app.includes('/') ? '' : '/_definst_'}`, 'hex')
  const response = md5([who, nonce, NONCE_COUNT, clientNonce, 'auth', what].join(':'), 'hex')
  const user = encodeURIComponent(name)
  return `authmod=llnw&user=${user}&nonce=${nonce}&cnonce=${clientNonce}&nc=${NONCE_COUNT}&response=${response}`
}

function md5(text: string, form: 'base64' | 'hex'): string {
  return createHash('md5').update(text).digest(form)
}

import { createHash } from 'node:crypto'
import type { RtmpUser } from '../wire/url.ts'
import { RtmpClientError } from './client-error.ts'

/** The schemes by which servers ask who a client is, in the description of the refusal of `connect`. */
const AUTH_MODE = /\bauthmod=(?<mode>adobe|llnw)\b/u
const FAILED = /[?&]reason=(?:authfailed|nosuchuser)\b/u
const CHALLENGE = /\?(?<fields>reason=needauth[^\s\]]*)/u
/** The most characters of a refusal's description that are searched for a challenge. */
const MAX_DESCRIPTION_LENGTH = 2048
const REALM = 'live'
const METHOD = 'publish'
const NONCE_COUNT = '00000001'

type ChallengeOptions = {
  readonly description: string
  /** The app that `connect` named. */
  readonly app: string
  readonly user: RtmpUser | undefined
  /** Eight hexadecimal digits, new for each answer. */
  readonly clientNonce: string
}

/**
 * Returns the query, without `?`, that a client adds to app and tcUrl when it connects again after a server has refused `connect` to ask
 * for authentication: in the scheme of Adobe's encoders (`authmod=adobe`) or of Limelight's (`authmod=llnw`). The password is not in it.
 * Undefined when the server has refused for another reason.
 * @throws {RtmpClientError} when the server does not accept the user or password, or the URL has none
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
  // The first answer names the user alone; the server then sends the challenge.
  if (fields === undefined) return `authmod=${mode}&user=${encodeURIComponent(user.name)}`
  const challenge = fieldsOf(fields)
  return mode === 'adobe'
    ? answerAdobe(user, challenge, clientNonce)
    : answerLimelight(user, challenge, app, clientNonce)
}

/** Parses the fields of a challenge. Their values are not decoded, as a digest has `=` and `+` in it. */
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

/** Answers the challenge by HTTP's digest authentication with `qop=auth` (RFC 2617 3.2.2.1). */
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

import { SluiceError } from 'sluice/sdk'
import { MalformedError } from 'sluice/sdk/media'
import { UnsupportedMode } from './stream-id.ts'
import { REJECT_REASON } from './wire/handshake/reject-reason.ts'

/** A caller is refused with one of SRT's own reasons; the message is for the log. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** One of `REJECT_REASON`. */
  readonly reason: number
  /** Advice for the operator or the caller. */
  readonly advice: string | undefined

  constructor(reason: number, message: string, advice?: string) {
    super(message)
    this.reason = reason
    this.advice = advice
  }
}

/** Reasons from here on are HTTP's status codes (SRT Access Control Guidelines, Error codes). */
const STATUS_BASE = 1000
const REASONS: readonly number[] = Object.values(REJECT_REASON)

/** The reject reason for an error; undefined for an internal error, which is for the log only. */
export function rejectReasonOf(error: unknown): number | undefined {
  if (error instanceof Refusal) return error.reason
  if (error instanceof MalformedError) return REJECT_REASON.badRequest
  if (error instanceof UnsupportedMode) return REJECT_REASON.badMode
  if (!(error instanceof SluiceError)) return undefined
  const { statusCode } = error
  // A caller can't be redirected.
  if (statusCode < 400) return REJECT_REASON.down
  const reason = STATUS_BASE + statusCode
  if (REASONS.includes(reason)) return reason
  return statusCode < 500 ? REJECT_REASON.badRequest : REJECT_REASON.internalServerError
}

const WORDS: Readonly<Record<number, string>> = {
  [REJECT_REASON.version]: 'it does not speak this version of SRT',
  [REJECT_REASON.badSecret]: 'it has another passphrase',
  [REJECT_REASON.unsecure]: 'one end has a passphrase and the other none',
  [REJECT_REASON.messageApi]: 'it does not take live media',
  [REJECT_REASON.badRequest]: 'bad request: does the stream id have the form that it wants?',
  [REJECT_REASON.unauthorized]: 'unauthorized',
  [REJECT_REASON.forbidden]: 'forbidden',
  [REJECT_REASON.notFound]: 'not found',
  [REJECT_REASON.conflict]: 'the stream is there already',
  [REJECT_REASON.down]: 'unavailable',
}

/** The text for a reject reason: `unauthorized (1401)`. */
export function describeReason(reason: number): string {
  const name = Object.entries(REJECT_REASON).find(([, value]) => value === reason)?.[0]
  const words = WORDS[reason] ?? name?.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
  return words === undefined ? String(reason) : `${words} (${reason})`
}

const UNSUPPORTED: Readonly<Record<number, string>> = {
  [REJECT_REASON.version]: 'it speaks SRT before version 1.3',
  [REJECT_REASON.messageApi]: 'it wants to transfer files, and not live media (transtype=live)',
  [REJECT_REASON.congestion]: 'it wants to transfer files, and not live media (transtype=live)',
  [REJECT_REASON.filter]: 'it wants a packet filter, which there is none of here: leave packetfilter out',
  [REJECT_REASON.group]: 'it wants a group of links, which there is none of here',
}

/** The text for the refusal of a caller before its request reaches the gates. */
export function describeUnsupported(reason: number): string {
  return UNSUPPORTED[reason] ?? 'its handshake is broken'
}

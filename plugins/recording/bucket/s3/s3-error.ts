import { StorageError } from '../storage-error.ts'
import { parseXml, textOf, type XmlElement } from './xml.ts'

/** The longest text of a server that is shown, in characters. */
const MAX_SHOWN = 200
/** The codes of failures that may pass although their status means otherwise. */
const PASSING_CODES: ReadonlySet<string> = new Set([
  'SlowDown',
  'RequestTimeout',
  'OperationAborted',
  'InternalError',
  'ServiceUnavailable',
  'BadDigest',
  'IncompleteBody',
  'XAmzContentSHA256Mismatch',
])
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429])
/** The statuses of a server that does not have the bucket; 400 has other meanings as well. */
const MOVED_STATUSES: ReadonlySet<number> = new Set([301, 307, 400])
/** The codes of answers without body, as to HEAD. */
const CODES: Readonly<Record<number, string>> = { 403: 'AccessDenied', 404: 'NoSuchKey', 412: 'PreconditionFailed' }

/** The answer of a server that refuses a request. */
export type S3Failure = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  readonly bucket: string
  /** The region that the request was signed for. */
  readonly region: string
  /** The time by the clock of this machine, in milliseconds since 1970. */
  readonly nowMs: number
}

/** A server of S3 has refused a request. */
export class S3Error extends StorageError {
  override readonly name = 'S3Error'
  /** The code of S3, such as `NoSuchBucket`; taken from the status, such as `AccessDenied`, when the answer has no body. */
  readonly code: string
  readonly status: number

  constructor(message: string, { code, status }: { readonly code: string; readonly status: number }) {
    super(message, { passes: status >= 500 || PASSING_STATUSES.has(status) || PASSING_CODES.has(code) })
    this.code = code
    this.status = status
  }
}

/** Returns the error for a refusal, with advice in its message. */
export function s3Error(failure: S3Failure): S3Error {
  const { status, body } = failure
  const answer = errorElement(body)
  const code = (answer && textOf(answer, 'Code')) || CODES[status] || `status ${status}`
  return new S3Error(adviceOn(code, answer, failure), { code, status })
}

/**
 * Returns the error in the body of a successful answer: S3 puts it there when the request failed after the answer had begun.
 * @returns undefined when the request has not failed
 */
export function hiddenError(failure: S3Failure): S3Error | undefined {
  if (errorElement(failure.body) === undefined) return undefined
  return s3Error({ ...failure, status: 500 })
}

function errorElement(body: Buffer): XmlElement | undefined {
  try {
    const root = parseXml(body.toString())
    return root.name === 'Error' ? root : undefined
  } catch {
    return undefined
  }
}

function adviceOn(code: string, answer: XmlElement | undefined, failure: S3Failure): string {
  const { bucket, status } = failure
  const region = regionOf(answer, failure)
  if (region !== undefined) return `the bucket ${bucket} is in the region ${region}: set region of S3 to that`
  switch (code) {
    case 'NoSuchBucket':
      return `there is no bucket ${bucket}: make it, or change bucket of S3`
    case 'AccessDenied':
      return (
        `access to the bucket ${bucket} is denied: allow the access key s3:PutObject, s3:GetObject, s3:DeleteObject, ` +
        `s3:ListBucket and s3:AbortMultipartUpload on it`
      )
    case 'InvalidAccessKeyId':
      return 'the server does not know the access key: check accesskeyid of S3'
    case 'SignatureDoesNotMatch':
      return 'the secret is not that of the access key: check accesskeyid and secretaccesskey of S3'
    case 'RequestTimeTooSkewed':
      return `the clock of this machine ${skewOf(failure)}: set it right, such as by NTP`
    case 'PermanentRedirect':
    case 'TemporaryRedirect':
      return `the bucket ${bucket} has another endpoint${shown(answer, 'Endpoint', ' (', ')')}: change endpoint of S3`
    case 'NoSuchKey':
      return 'the bucket has no such object, or there is no such bucket'
    case 'PreconditionFailed':
      return 'the object was replaced meanwhile'
    default:
      return `the server answered ${status} ${code.startsWith('status') ? '' : printable(code)}${shown(answer, 'Message', ': ')}`.trimEnd()
  }
}

/** Returns the region of the bucket, when the answer names another one than the config; undefined otherwise. */
function regionOf(answer: XmlElement | undefined, { status, headers, region: own }: S3Failure): string | undefined {
  const inHeader = MOVED_STATUSES.has(status) ? headers['x-amz-bucket-region'] : undefined
  const region = printable((answer && textOf(answer, 'Region')) || String(inHeader ?? ''))
  return region === '' || region === own ? undefined : region
}

function skewOf({ headers, nowMs }: S3Failure): string {
  const serverMs = Date.parse(String(headers['date']))
  if (Number.isNaN(serverMs)) return 'is not that of the server'
  const aheadSeconds = Math.round((nowMs - serverMs) / 1000)
  return `is ${Math.abs(aheadSeconds)} s ${aheadSeconds < 0 ? 'behind' : 'ahead of'} the server's`
}

function shown(answer: XmlElement | undefined, name: string, before: string, after = ''): string {
  const text = answer && textOf(answer, name)
  return text ? `${before}${printable(text)}${after}` : ''
}

/** Returns a text without characters that would break a line of a log, cut to `MAX_SHOWN`. */
function printable(text: string): string {
  return text
    .slice(0, MAX_SHOWN)
    .replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/gu, ' ')
    .trim()
}

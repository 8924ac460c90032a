import { errorCode, messageOf } from '../error-text.ts'
import { CommandError, ServerUnreachable } from '../command-error.ts'

const TLS_CODES = /^(?:ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/u

/** The properties of a request that failed. */
export type FailedRequest = {
  /** The address of the server that was asked. */
  readonly server: string
  /** The message for a plain 404, for example `there is no stream live/a`. */
  readonly missing: string | undefined
}

/** Returns the message for a plain 404 to a request that names a stream. */
export function noStream(path: string): string {
  return `there is no stream ${path}; sluice ctl streams lists them`
}

/** Returns the error for a refusal, with advice in its message. */
export function refusal(status: number, message: string, { server, missing }: FailedRequest): CommandError {
  switch (status) {
    case 401:
      return new CommandError(
        `${message}. Log in by "sluice ctl --server ${server} login", or give a token by --token-file or SLUICE_TOKEN`,
      )
    case 403:
      return new CommandError(`${message}. It takes a user, or a token, of the role admin`)
    case 404:
    case 405:
      return new CommandError(notFound(message, { server, missing }))
    default:
      return new CommandError(message || `${server} answered with the status ${status}`)
  }
}

/** Returns the error for a request without an answer. */
export function noAnswer(error: unknown, { server }: Pick<FailedRequest, 'server'>): CommandError {
  const code = codeOf(error)
  if (TLS_CODES.test(code)) {
    const advice = 'give the certificate of the authority that issued it by --ca FILE'
    return new ServerUnreachable(`the certificate of ${server} is not trusted (${code}); ${advice}`)
  }
  const advice = 'is it running? Give another address by --server URL or SLUICE_SERVER'
  return new ServerUnreachable(`no answer from ${server} (${code}); ${advice}`)
}

function notFound(message: string, { server, missing }: FailedRequest): string {
  const isBare = message === '' || message === 'not found' || message === 'method not allowed'
  if (!isBare) return message
  return missing ?? `${server} does not know this operation; is it an older version, or is the plugin off?`
}

/** Returns the code of a network error, such as `ECONNREFUSED`; its message when it has none. */
function codeOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout'
  return errorCode(error) || messageOf(error)
}

import { SluiceError, StreamRedirect } from 'sluice/sdk'
import { MalformedError } from 'sluice/sdk/media'

/** A request that is refused, with the status that gives the reason (RFC 2326 7.1.1). */
export class RtspRefusal extends Error {
  readonly status: number
  /** Further header fields of the response. */
  readonly headers: readonly (readonly [name: string, value: string])[]

  constructor(status: number, message: string, headers: readonly (readonly [string, string])[] = []) {
    super(message)
    this.status = status
    this.headers = headers
  }

  /** The RTSP refusal for an error; undefined for errors that are not refusals. */
  static of(error: unknown): RtspRefusal | undefined {
    if (error instanceof RtspRefusal) return error
    if (error instanceof StreamRedirect) return new RtspRefusal(302, 'Moved Temporarily', [['Location', error.url]])
    if (error instanceof SluiceError) return new RtspRefusal(error.statusCode, error.message)
    return undefined
  }
}

/** Parses a part of a request. @throws {RtspRefusal} with the status when the part is malformed */
export function refusedIfMalformed<Value>(status: number, parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    if (error instanceof MalformedError) throw new RtspRefusal(status, error.message)
    throw error
  }
}

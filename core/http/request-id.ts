import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** The header of a request's id, in requests and answers. */
export const REQUEST_ID_HEADER = 'x-request-id'

/** The pattern of the ids of proxies and clients that are taken over; nothing in them confuses a log or a header. */
const TAKEN = /^[\w.:/+=@-]{1,128}$/u

/** The id of a request: the one from its client or a proxy, where that is short and plain, else a new one. */
export function requestIdOf({ [REQUEST_ID_HEADER]: given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && TAKEN.test(given) ? given : randomUUID()
}

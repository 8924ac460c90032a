import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** The header of a request's id, in requests and answers. */
export const REQUEST_ID_HEADER = 'x-request-id'

/** What ids of proxies and clients look like that are taken over: nothing that a log or a header could misread. */
const TAKEN = /^[\w.:/+=@-]{1,128}$/u

/** The id of a request: the one that its client or a proxy gave it, where that is short and plain, else a new one. */
export function requestIdOf({ [REQUEST_ID_HEADER]: given }: IncomingHttpHeaders): string {
  return typeof given === 'string' && TAKEN.test(given) ? given : randomUUID()
}

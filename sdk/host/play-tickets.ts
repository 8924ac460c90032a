import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { SessionInit } from '../stream/session-request.ts'
import { checkStreamPath } from '../stream/stream-path.ts'
import type { StreamTicket } from '../stream/stream-manager.ts'

/** The parameter of a query that carries a ticket. */
const PARAMETER = 'ticket'
const TICKET_BYTES = 16

/** The tickets of a server, by which programs of its own play streams; see `StreamManager.ticket`. */
export class PlayTickets {
  /** The tickets of each path, in the form that `checkStreamPath` returns. */
  readonly #tickets = new Map<string, Set<Buffer>>()

  /** @throws {InvalidRequest} the path is not valid */
  issue(streamPath: string): StreamTicket {
    const path = checkStreamPath(streamPath)
    const text = randomBytes(TICKET_BYTES).toString('hex')
    const ticket = Buffer.from(text)
    const tickets = this.#tickets.get(path) ?? new Set()
    this.#tickets.set(path, tickets.add(ticket))
    const revoke = () => {
      tickets.delete(ticket)
      if (tickets.size === 0 && this.#tickets.get(path) === tickets) this.#tickets.delete(path)
    }
    return { query: `${PARAMETER}=${text}`, revoke }
  }

  /** Returns true when a query carries a ticket for playing a path. */
  holds(streamPath: string, query: string): boolean {
    const tickets = this.#tickets.get(streamPath)
    return tickets !== undefined && query.split('&').some((parameter) => isAmong(tickets, parameter))
  }

  /** A request without the ticket that it carries; undefined where it carries none for its path. */
  redeem<Init extends SessionInit>(init: Init): Init | undefined {
    const tickets = this.#tickets.get(init.streamPath)
    if (tickets === undefined || !this.holds(init.streamPath, init.query)) return undefined
    const others = init.query.split('&').filter((parameter) => !isAmong(tickets, parameter))
    const [address = ''] = init.url.split('?', 1)
    const query = others.join('&')
    return { ...init, query, url: query === '' ? address : `${address}?${query}` }
  }
}

function isAmong(tickets: ReadonlySet<Buffer>, parameter: string): boolean {
  if (!parameter.startsWith(`${PARAMETER}=`)) return false
  const given = Buffer.from(parameter.slice(PARAMETER.length + 1))
  let found = false
  // All tickets are compared, so that the time of the comparison shows nothing of a guess.
  for (const ticket of tickets) {
    if (ticket.length === given.length && timingSafeEqual(ticket, given)) found = true
  }
  return found
}

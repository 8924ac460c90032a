import type { Publisher, SessionClient, Subscriber } from 'sluice/sdk'
import { peerText, versionText, type ConnectionList, type ConnectionView } from './connection-list.ts'
import { SrtMetrics } from './metrics.ts'
import { Refusals } from './refusals.ts'
import type { SrtContext } from './plugin-context.ts'
import { Ticker } from './ticker.ts'
import type { Connection } from './wire/connection.ts'
import type { Negotiated } from './wire/handshake/negotiation.ts'

/** A connection that carries the stream of a session. */
type Carrying = Pick<ConnectionView, 'direction' | 'mode' | 'encrypted'> & {
  readonly member: Pick<Publisher & Subscriber, 'id' | 'streamPath' | 'details' | 'onClose'>
  readonly client: Pick<SessionClient, 'ip' | 'port'>
  readonly negotiated: Negotiated
  readonly connection: Connection
  /** Further details of the session in lists. */
  readonly details?: () => Readonly<Record<string, number>>
}

/** The shared parts of one generation's connections: timer, metrics and refusals; the list is shared by all generations. */
export class Connections {
  readonly ticker: Ticker
  readonly refusals: Refusals
  readonly list: ConnectionList

  readonly #metrics: SrtMetrics

  constructor(ctx: Pick<SrtContext, 'metrics' | 'setInterval' | 'keep' | 'log'>) {
    this.ticker = new Ticker(ctx)
    this.#metrics = new SrtMetrics(ctx)
    this.refusals = new Refusals(ctx.log, this.#metrics)
    this.list = ctx.keep('connections', (): ConnectionList => new Map())
  }

  /** Lists and counts a connection until its session ends. */
  follow({ direction, mode, encrypted, member, client, negotiated, connection, details }: Carrying): void {
    const { id, streamPath } = member
    const statistics = () => connection.statistics()
    const { receiveLatencyMs, sendLatencyMs } = negotiated
    const shown = {
      id,
      streamPath,
      direction,
      mode,
      encrypted,
      receiveLatencyMs,
      sendLatencyMs,
      remoteAddr: peerText(client),
      startTime: new Date().toISOString(),
      peerVersion: versionText(negotiated),
    }
    this.list.set(id, () => ({ ...shown, statistics: statistics() }))
    const measureLast = this.#metrics.follow(direction, statistics)
    member.details(() => ({ ...summaryOf(direction, connection), ...details?.() }))
    member.onClose(() => {
      this.list.delete(id)
      measureLast()
    })
  }
}

/** The statistics of a session in lists, for the direction of its media. */
function summaryOf(direction: 'publish' | 'play', connection: Connection): Record<string, number> {
  const { msRTT, pktRcvLossTotal, pktRcvDropTotal, pktSndLossTotal, pktSndDropTotal, pktRetransTotal } =
    connection.statistics()
  return direction === 'publish'
    ? { rttMs: msRTT, lostPackets: pktRcvLossTotal, droppedPackets: pktRcvDropTotal }
    : {
        rttMs: msRTT,
        lostPackets: pktSndLossTotal,
        droppedPackets: pktSndDropTotal,
        retransmittedPackets: pktRetransTotal,
      }
}

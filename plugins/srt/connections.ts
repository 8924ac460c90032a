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
  /** More that lists show of the session. */
  readonly details?: () => Readonly<Record<string, number>>
}

/** What the connections of one generation share: the timer, the numbers, the list, which all generations have. */
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

  /** Shows and counts a connection until its session ends. */
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

/** What lists show of a session, of the direction that its media goes. */
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

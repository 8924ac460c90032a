import { setTimeout as delay } from 'node:timers/promises'
import { maskUrl, publishSource, type PullEnd, type PullRequest } from 'sluice/sdk'
import { SourceError } from 'sluice/sdk/http'
import type { Connections } from '../connections.ts'
import type { SrtContext } from '../plugin-context.ts'
import { noteSign, TsIngest } from '../to-stream.ts'
import { Link } from './link.ts'
import { SCHEMES } from './target-url.ts'

/** The longest wait for the first media. */
const MEDIA_TIMEOUT_MS = 10_000

/** Offers to pull streams by SRT; the definition names `pull:srt` in its `provides`. */
export function providePull(ctx: SrtContext, connections: Connections): void {
  ctx.services.provide('pull:srt', {
    schemes: SCHEMES,
    headerless: true,
    pull: (request) => pull(ctx, connections, request),
  })
}

/** See `PullService.pull`. */
async function pull(ctx: SrtContext, connections: Connections, request: PullRequest): Promise<PullEnd> {
  const { url, signal, session } = request
  const log = ctx.log.child({ stream: session.streamPath, source: maskUrl(url) })
  const link = await Link.open({ ctx, connections, request, signal, receives: true })
  try {
    await untilMedia(link, signal)
    // Counters of MPEG-TS have 33 bits.
    return await publishSource(ctx.streams, request, { timestampBits: 33 }, async (publisher) => {
      const broken = Promise.withResolvers<never>()
      const ingest = new TsIngest({ sink: publisher, log, broken: (why) => broken.reject(new SourceError(why)) })
      const { connection, opened, peer: client, mode } = link
      const { negotiated, keys } = opened
      const encrypted = keys !== undefined
      const details = () => ({ droppedUnits: ingest.droppedUnits })
      const shown = {
        direction: 'publish',
        mode,
        encrypted,
        member: publisher,
        client,
        negotiated,
        connection,
      } as const
      connections.follow({ ...shown, details })
      log.info({ ip: client.ip, encrypted, latencyMs: negotiated.receiveLatencyMs }, 'play')
      link.deliver(
        (payload, missing) => ingest.receive(payload, missing),
        () => noteSign(publisher, ingest),
      )
      const why = await Promise.race([link.closed, broken.promise])
      ingest.end()
      throw new SourceError(`the connection has ended: ${why}`)
    })
  } finally {
    await link.close()
  }
}

/** @throws {SourceError} when no media comes */
async function untilMedia(link: Link, signal: AbortSignal): Promise<void> {
  const stop = new AbortController()
  const late = delay(MEDIA_TIMEOUT_MS, 'late' as const, { signal: AbortSignal.any([signal, stop.signal]) })
  try {
    const came = await Promise.race([link.arrived, link.closed, late])
    if (came === 'late') throw new SourceError(`no media came within ${MEDIA_TIMEOUT_MS / 1000} s`)
    if (came !== undefined) throw new SourceError(`the connection has ended: ${came}`)
  } finally {
    late.catch(() => {})
    stop.abort()
  }
}

import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config/config.ts'
import { acceptedFormat, CONTENT_TYPES, writeMetrics } from '../../observe/metrics/exposition.ts'
import type { EventLoopDelay } from '../../observe/event-loop-delay.ts'
import { ProcessMetrics } from '../../observe/metrics/process-metrics.ts'
import type { ServerMetrics } from '../../observe/metrics/server-metrics.ts'
import { summaryOf, type SummarySource } from '../system/summary-operations.ts'
import { formerMetrics } from './former-metrics.ts'
import type { StreamRegistry } from '../../stream/registry.ts'
import { addHostMetrics, type HostParts } from './host-metrics.ts'
import { StreamMetrics } from './stream-metrics.ts'

export type MetricsParts = HostParts &
  Pick<SummarySource, 'machine' | 'jobs' | 'recordings'> & {
    readonly streams: StreamRegistry
    readonly metrics: ServerMetrics
    readonly version: string
    readonly loopDelay: Pick<EventLoopDelay, 'read'>
    readonly config: Pick<Config, 'global'>
  }

/**
 * `GET /metrics` and `/api/metrics` (api.md 3.2), for Prometheus: in its text format or OpenMetrics, as the client prefers.
 * `/api/metrics` also contains the metrics under the names that other servers' dashboards use.
 */
export function registerMetricsRoute(app: FastifyInstance, parts: MetricsParts): void {
  const { metrics, version, config, streams } = parts
  const ofProcess = new ProcessMetrics(metrics.own, version, parts.loopDelay)
  app.addHook('onClose', () => ofProcess.close())
  const ofStreams = new StreamMetrics(metrics.own, streams)
  const summary = { ...parts, publicIp: () => config.global.publicip, index: streams.index }
  addHostMetrics(metrics.own, parts)
  for (const path of ['/metrics', '/api/metrics'] as const) {
    app.get(path, async (request, reply) => {
      await ofProcess.refresh()
      const shown = ofStreams.refresh(config.global.metrics.streams)
      const families = metrics.table.snapshot()
      ofStreams.release()
      const all = path === '/metrics' ? families : [...families, ...formerMetrics(await summaryOf(summary), shown)]
      const format = acceptedFormat(request.headers.accept)
      return reply.type(CONTENT_TYPES[format]).send(writeMetrics(all, format))
    })
  }
}

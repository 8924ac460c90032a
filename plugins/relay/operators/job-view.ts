import { Type, type RunningPull, type RunningPush, type Static } from 'sluice/sdk'

/** A pull or push, as the API shows it. */
export const JobView = Type.Object({
  id: Type.Integer({
    description: 'Of its task, which is stopped by /api/task/stop/{id} and begun anew by /api/task/restart/{id}',
  }),
  streamPath: Type.String(),
  protocol: Type.String({ description: 'The plugin that does it' }),
  url: Type.String({ description: 'Address without its secrets' }),
  origin: Type.String({ description: 'Who wants it: rule, operator, proxy, subscriber, or another word of a plugin' }),
  state: Type.String({ description: 'waiting, connecting, running, retrying or ended' }),
  startTime: Type.String({ format: 'date-time' }),
  tries: Type.Integer({ description: 'With the one that is under way' }),
  lastError: Type.String({ description: 'Of the latest try that failed; empty when none has' }),
  bytes: Type.Integer({ description: 'Of media that the latest try has moved' }),
  bps: Type.Integer({ description: 'Bytes of media a second' }),
})
export type JobView = Static<typeof JobView>

/** A pull or push that has not ended, and its address without secrets. */
export type ShownJob = { readonly job: RunningPull | RunningPush; readonly url: string }

export function jobView({ job, url }: ShownJob): JobView {
  const { plugin, streamPath } = job.wish
  const { id, state = 'ended', startTime, tries, lastError, movedBytes, bitrate } = job.progress
  return {
    id,
    streamPath,
    protocol: plugin,
    url,
    origin: job.origin,
    state,
    startTime: startTime.toISOString(),
    tries,
    lastError,
    bytes: movedBytes,
    bps: Math.round(bitrate / 8),
  }
}

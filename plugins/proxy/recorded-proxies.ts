import type { PluginContext, Recordings, RecordingSource } from 'sluice/sdk'

/** Has the recorder record the streams that `source` names, also one that starts later or replaces another. */
export function recordBy(source: RecordingSource, ctx: PluginContext<unknown>): void {
  let recorder: Recordings | undefined
  let stop: (() => void) | undefined
  ctx.plugins.onChange(() => {
    const current = ctx.services.get('recordings')
    if (current === recorder) return
    stop?.()
    recorder = current
    stop = recorder?.addSource(source)
  })
  ctx.onDrain(() => stop?.())
}

import type { PluginContext, Recordings, RecordingSource } from 'sluice/sdk'

/** Has the streams recorded that `source` names, also by a recorder that starts later or takes the place of another. */
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

/** The first module of a plugin's fork. The first message is what it is to run. */
import { once } from 'node:events'
import { runModule } from './module-host.ts'

// The server has ended, or has let go of it.
process.once('disconnect', () => process.exit())
const [init] = await once(process, 'message')
const { url, data } = init as { readonly url: string; readonly data: unknown }
// Unlike the port of a thread, the channel would keep it alive without anybody who listens.
process.channel?.unref()
await runModule(url, {
  data,
  send: (message) => void process.send?.(message),
  onMessage: (listener) => {
    process.channel?.ref()
    process.on('message', listener)
  },
})

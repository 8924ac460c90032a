/** The first module of a plugin's fork. The first message contains the module to run. */
import { once } from 'node:events'
import { runModule } from './module-host.ts'

// The channel closes when the server ends or disconnects.
process.once('disconnect', () => process.exit())
const [init] = await once(process, 'message')
const { url, data } = init as { readonly url: string; readonly data: unknown }
// Unlike the port of a thread, the channel would keep the process alive without a listener.
process.channel?.unref()
await runModule(url, {
  data,
  send: (message) => void process.send?.(message),
  onMessage: (listener) => {
    process.channel?.ref()
    process.on('message', listener)
  },
})

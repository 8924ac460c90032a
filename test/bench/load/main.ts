/** A process of its own that makes load; `load-process.ts` starts it, and ends it by disconnecting. */
import type { Load, LoadCommand } from './load.ts'
import { Publishers, type PublishersInit } from './publishers.ts'
import { Viewers, type ViewersInit } from './viewers.ts'

/** The first message to this process. */
export type LoadInit =
  | { readonly role: 'viewers'; readonly init: ViewersInit }
  | { readonly role: 'publishers'; readonly init: PublishersInit }

process.once('disconnect', () => process.exit())
process.once('message', (message: LoadInit) => {
  void (message.role === 'viewers' ? run(new Viewers(message.init)) : run(new Publishers(message.init)))
})

async function run<Ready, Report extends object>(load: Load<Ready, Report>): Promise<void> {
  let cpu = process.cpuUsage()
  process.on('message', (command: LoadCommand) => {
    if (command === 'begin') cpu = process.cpuUsage()
    const report = load[command]?.()
    const { user, system } = process.cpuUsage(cpu)
    process.send?.({ ...report, cpuSeconds: (user + system) / 1e6 })
  })
  process.send?.(await load.start())
}

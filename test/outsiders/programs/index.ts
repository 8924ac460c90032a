import { createInterface } from 'node:readline'
import { definePlugin, socketSink, type PluginContext } from 'sluice/sdk'
import { FLV_FORMAT } from 'sluice/sdk/media'

const CLIENT = { ip: '', port: 0, userAgent: '' }
const COUNT_PICTURES = '-loglevel error -f flv -i pipe:0 -map 0:v -c copy -f framecrc pipe:1'.split(' ')

export default definePlugin({
  name: 'programs',
  version: '1.0.0',
  defaults: { subscribe: { waittimeout: '500ms' } },
  setup(ctx) {
    ctx.hooks.on('published', ({ path }) => countPictures(ctx, path))
    countPrimes(ctx)
    void runFragile(ctx)
  },
})

/** Has ffmpeg read a stream by a pipe, and counts what it writes to another. */
async function countPictures({ log, processes, streams }: PluginContext<unknown>, streamPath: string): Promise<void> {
  const session = { streamPath, type: 'transform', url: '', query: '', client: CLIENT } as const
  const subscriber = await streams.subscribe(session)
  try {
    const program = await processes.spawn({ command: 'ffmpeg', args: COUNT_PICTURES, owner: streamPath })
    const { stdin, stdout, done } = program
    subscriber.onClose(() => stdin.end()) // ffmpeg ends when its input does
    void done.then(() => subscriber.close('ffmpeg has ended'))
    subscriber.attach(FLV_FORMAT, socketSink(stdin))
    let pictures = 0
    for await (const line of createInterface({ input: stdout })) if (!line.startsWith('#')) pictures += 1
    log.info({ streamPath, pictures, ...(await done) }, 'pictures')
  } finally {
    subscriber.close()
  }
}

/** Has a thread do what would hold up the server. */
function countPrimes({ log, processes }: PluginContext<unknown>): void {
  const module = new URL('./primes.ts', import.meta.url)
  const thread = processes.thread({ module, data: { below: 1_000_000 }, owner: 'primes' })
  thread.onMessage((count) => log.info({ count }, 'primes'))
}

/** Has a process of its own for what may crash, and begins it anew. */
async function runFragile(ctx: PluginContext<unknown>): Promise<void> {
  const fork = ctx.processes.fork({ module: new URL('./fragile.ts', import.meta.url), owner: 'fragile' })
  fork.onMessage((message) => ctx.log.info({ message }, 'fragile'))
  const off = ctx.hooks.on('published', ({ path }) => fork.send({ path }))
  const { code, signal } = await fork.done
  off()
  if (ctx.signal.aborted) return
  ctx.log.info({ code, signal }, 'fragile has crashed')
  ctx.setTimeout(() => runFragile(ctx), 100)
}

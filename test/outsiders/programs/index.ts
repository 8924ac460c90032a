import { definePlugin, PipedProgram, Supervisor, type PluginContext } from 'sluice/sdk'
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
    keepFragile(ctx)
  },
})

/** Has ffmpeg read a stream by a pipe, and counts what it writes to another. */
async function countPictures({ log, processes, streams }: PluginContext<unknown>, streamPath: string): Promise<void> {
  const session = { streamPath, type: 'transform', url: '', query: '', client: CLIENT } as const
  const subscriber = await streams.subscribe(session)
  try {
    let pictures = 0
    let rest = ''
    const program = await PipedProgram.begin(processes, {
      command: 'ffmpeg',
      args: COUNT_PICTURES,
      owner: streamPath,
      output(bytes) {
        const lines = `${rest}${bytes.toString()}`.split('\n')
        rest = lines.pop() ?? ''
        pictures += lines.filter((line) => !line.startsWith('#')).length
      },
    })
    program.feed(subscriber, FLV_FORMAT)
    const end = await program.done // by: 'input', as ffmpeg ends when its input does
    log.info({ streamPath, pictures, ...end }, 'pictures')
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
function keepFragile(ctx: PluginContext<unknown>): void {
  const supervisor = new Supervisor(ctx, {
    async run(signal) {
      const fork = ctx.processes.fork({ module: new URL('./fragile.ts', import.meta.url), owner: 'fragile', signal })
      fork.onMessage((message) => ctx.log.info({ message }, 'fragile'))
      const off = ctx.hooks.on('published', ({ path }) => fork.send({ path }))
      const end = await fork.done
      off()
      throw new Error(`fragile has crashed: ${end.signal ?? end.code}`)
    },
    failed: ({ error, retryMs }) => ctx.log.info({ err: error, retryMs }, 'fragile has crashed'),
  })
  supervisor.begin()
}

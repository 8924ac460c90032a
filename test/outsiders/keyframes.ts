import { definePlugin, Type, type Job } from 'sluice/sdk'

/** Writes down when keyframes come, a file for each time that a stream is published. */
export default definePlugin({
  name: 'keyframes',
  version: '1.0.0',
  config: Type.Object({
    folder: Type.String({ default: 'keyframes' }),
    section: Type.String({ default: 'flv', description: 'The plugin by whose section streams are taken' }),
  }),
  setup(ctx) {
    const { config, files, jobs, streams } = ctx
    const running = new Map<string, Job>()
    let failure = ''

    async function write(streamPath: string, signal: AbortSignal) {
      const subscriber = await streams.subscribe(
        {
          streamPath,
          type: 'transform',
          url: '',
          query: '',
          client: { ip: '', port: 0, userAgent: 'keyframes' },
          // Its stream may end as if it did not subscribe.
          passive: true,
          signal,
        },
        { plugin: config.section, config: { queuetime: 60_000 } },
      )
      const { writer, filePath } = await files.create(`${config.folder}/${streamPath}`, '.txt')
      running.get(streamPath)?.succeeded()
      const ended = Promise.withResolvers<string>()
      subscriber.onClose(({ text }) => ended.resolve(text))
      signal.addEventListener('abort', () => subscriber.close('it was stopped'))
      subscriber.read({
        // A promise holds the reader up while the disk is behind.
        unit: ({ keyframe, dtsMs }) => (keyframe ? writer.append([Buffer.from(`${Math.round(dtsMs)}\n`)]) : undefined),
      })
      const over = await ended.promise
      await writer.close()
      failure = writer.error?.message ?? ''
      return failure === '' ? { over } : { failure: `${filePath}: ${failure}` }
    }

    function begin(streamPath: string) {
      if (running.has(streamPath)) return
      const job = jobs.start({
        log: ctx.log.child({ stream: streamPath }),
        task: { kind: 'transform', streamPath, plugin: 'keyframes', description: 'keyframes' },
        description: { kind: 'list of keyframes' },
        policy: { maxretry: -1, retryinterval: 5000 },
        attempt: (signal) => write(streamPath, signal),
        isWanted: () => streams.get(streamPath) !== undefined,
        movedBytes: () => 0,
      })
      running.set(streamPath, job)
      void job.done.then(() => running.delete(streamPath))
    }

    ctx.hooks.on('published', ({ path, personal }) => {
      if (!personal) begin(path)
    })
    ctx.plugins.onChange(() => {
      if (ctx.plugins.get(config.section)?.isRunning === true) for (const { path } of streams.list()) begin(path)
    })
    ctx.readiness('keyframes', () => failure === '')
    // The next generation begins with a file of its own; this one ends when its last file is whole.
    ctx.onDrain((cause) => {
      const release = ctx.hold()
      for (const job of running.values()) job.stop(`the plugin was ${cause}`)
      void Promise.all([...running.values()].map(({ done }) => done)).then(release)
    })
  },
})

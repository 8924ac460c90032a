import { definePlugin, JobTable, Type, type Job } from 'sluice/sdk'

/** Writes the times of keyframes, into a file for each time that a stream is published. */
export default definePlugin({
  name: 'keyframes',
  version: '1.0.0',
  config: Type.Object({
    folder: Type.String({ default: 'keyframes' }),
    section: Type.String({ default: 'flv', description: 'The plugin by whose section streams are taken' }),
  }),
  setup(ctx) {
    const { config, files, jobs, streams } = ctx
    // The jobs by stream path; a job is removed when it is done.
    const running = new JobTable<string, { readonly job: Job }>()
    // The newest job of all generations by stream path: others are told of one beginning and one end.
    const newest = ctx.keep('jobs', () => new Map<string, Job>())
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
      running.at(streamPath)?.job.succeeded()
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

    function start(streamPath: string): Job {
      const job = jobs.start({
        log: ctx.log.child({ stream: streamPath }),
        task: { kind: 'transform', streamPath, plugin: 'keyframes', description: 'keyframes' },
        description: { kind: 'list of keyframes' },
        policy: { maxretry: -1, retryinterval: 5000 },
        attempt: (signal) => write(streamPath, signal),
        isWanted: () => streams.get(streamPath) !== undefined,
        movedBytes: () => 0,
        continues: newest.get(streamPath),
      })
      newest.set(streamPath, job)
      void job.done.then(() => newest.get(streamPath) === job && newest.delete(streamPath))
      return job
    }

    function begin(streamPath: string) {
      if (running.isClosed || running.at(streamPath) !== undefined) return
      running.add(streamPath, () => ({ job: start(streamPath) }))
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
      const ends = running.all.map(({ job }) => job.done)
      running.close(`the plugin was ${cause}`)
      void Promise.all(ends).then(release)
    })
  },
})

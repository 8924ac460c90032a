import {
  DurationText,
  Int64,
  parseDurationText,
  StreamPath,
  StreamUnavailable,
  Type,
  type PluginContext,
  type Recordings,
} from 'sluice/sdk'

const TYPE = 'hls'
/** The default length of a recording's files. */
const DEFAULT_FRAGMENT = '1m'

const StartQuery = Type.Object({
  fragment: Type.Optional(DurationText()),
  filePath: Type.Optional(Type.String({ maxLength: 512, description: 'Folder below that of storage' })),
})
const ONE_TASK = Type.Object({ id: Int64() })

/** Adds `api/record/start/…` and `api/record/stop/…` (api.md 9), which record a stream as MPEG-TS. */
export function addRecordOperations({ operations, services }: PluginContext<unknown>): void {
  const recordings = (): Recordings => {
    const service = services.get('recordings')
    if (service === undefined) throw new StreamUnavailable('the server records nothing')
    return service
  }

  operations.add({
    method: 'POST',
    path: 'api/record/start/{streamPath}',
    aliases: ['GET api/record/start/{streamPath}'],
    summary: 'Start recording a stream as MPEG-TS',
    params: Type.Object({ streamPath: StreamPath() }),
    query: StartQuery,
    answer: Int64(),
    reach: { stream: 'streamPath' },
    async handle({ params: { streamPath }, query: { fragment = DEFAULT_FRAGMENT, filePath } }) {
      const fragmentMs = parseDurationText('fragment', fragment)
      const place = filePath === undefined || filePath === '' ? {} : { filePath }
      const { taskId } = await recordings().start({ type: TYPE, streamPath, fragmentMs, ...place })
      return taskId
    },
  })

  operations.add({
    method: 'POST',
    path: 'api/record/stop/{id}',
    aliases: ['GET api/record/stop/{id}'],
    summary: 'Stop a recording by its task',
    params: ONE_TASK,
    answer: Int64(),
    reach: { session: 'id' },
    async handle({ params: { id } }) {
      const active = recordings().active()
      const found = active.find(({ type, taskId }) => type === TYPE && taskId === id)
      if (found === undefined) return 0
      await recordings().stopTask(id)
      return id
    },
  })
}

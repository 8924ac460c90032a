import {
  checkStreamPath,
  DurationText,
  InvalidRequest,
  isStreamPath,
  parseDurationText,
  StreamPath,
  Type,
  type PluginContext,
} from 'sluice/sdk'
import { countedAnswer, countedPage, isoTime, PAGE_QUERY } from './answers.ts'
import type { PlanRecorder } from './plan-recorder.ts'
import type { PlanStore, PlanStream } from './plan-store.ts'

/** The defaults of a stream's fields (api.md 8.5). */
const DEFAULTS = { planId: 1, fragment: '60s', recordType: 'mp4' }
const MAX_PLAN_ID = 2 ** 31 - 1

const PlanId = Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_PLAN_ID }))
const RecordType = Type.Optional(
  Type.String({ maxLength: 32, description: 'mp4, flv, hls or hlsv7; mp4 unless given' }),
)
const FIELDS = {
  planId: PlanId,
  streamPath: StreamPath(),
  fragment: Type.Optional(DurationText()),
  filePath: Type.Optional(Type.String({ maxLength: 512, description: 'A folder below that of storage' })),
  recordType: RecordType,
}

/** `PlanStream` of the API (api.md 8.5). */
const PlanStreamAnswer = Type.Object({
  planId: Type.Integer(),
  streamPath: Type.String(),
  fragment: Type.String(),
  filePath: Type.String(),
  recordType: Type.String(),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
  enable: Type.Boolean(),
  isRecording: Type.Boolean({ description: 'It is recorded by its plan at present' }),
})

/**
 * The operations of streams that plans record (api.md 8.5).
 * @param recorder knows what is recorded at present
 * @param changed called after each change
 */
export function addPlanStreamOperations(
  { operations, services }: Pick<PluginContext<unknown>, 'operations' | 'services'>,
  store: PlanStore,
  recorder: Pick<PlanRecorder, 'recorded'>,
  changed: () => Promise<void>,
): void {
  operations.add({
    method: 'GET',
    path: '/planstream/api/list',
    summary: 'List the streams that plans record',
    query: Type.Object({ ...PAGE_QUERY, planId: PlanId, streamPath: Type.Optional(StreamPath()) }),
    answer: countedAnswer(PlanStreamAnswer),
    wire: 'fields',
    reach: 'one',
    async handle({ query }) {
      const streams = (await store.streams()).filter(({ planId, streamPath }) => {
        return (query.planId || planId) === planId && (query.streamPath ?? streamPath) === streamPath
      })
      const { data, ...page } = countedPage(streams, query)
      const isRecorded = recorder.recorded()
      return {
        ...page,
        data: data.map((stream) => {
          const { recordType: type, streamPath } = stream
          return { ...planStreamView(stream), isRecording: isRecorded({ type, streamPath }) }
        }),
      }
    },
  })

  operations.add({
    method: 'POST',
    path: '/planstream/api/add',
    summary: 'Have a plan record a stream',
    body: Type.Object({ ...FIELDS, enable: Type.Boolean({ default: false, description: 'Off unless given' }) }),
    reach: 'one',
    async handle({ body }) {
      const { planId, streamPath, fragment, filePath = '', recordType, enable } = body
      const type = recordType || DEFAULTS.recordType
      if (services.get(`record:${type}`) === undefined)
        throw new InvalidRequest(`recordType: no plugin records ${type}`)
      await store.addStream({
        planId: planId || DEFAULTS.planId,
        streamPath,
        recordType: type,
        isEnabled: enable,
        fragment: fragmentText(fragment || DEFAULTS.fragment),
        filePath: checkFolder(filePath),
      })
      await changed()
    },
  })

  operations.add({
    method: 'POST',
    path: '/planstream/api/update',
    summary: 'Change how a plan records a stream; what is left out stays as it is',
    body: Type.Object({ ...FIELDS, enable: Type.Optional(Type.Boolean()) }),
    reach: 'one',
    async handle({ body: { planId, streamPath, fragment, filePath, recordType, enable } }) {
      const key = { streamPath, recordType: recordType || DEFAULTS.recordType }
      await store.updateStream(key, {
        ...(planId && { planId }),
        ...(fragment && { fragment: fragmentText(fragment) }),
        ...(filePath !== undefined && { filePath: checkFolder(filePath) }),
        ...(enable !== undefined && { isEnabled: enable }),
      })
      await changed()
    },
  })

  operations.add({
    method: 'POST',
    path: '/planstream/api/remove/{planId}/{streamPath}',
    summary:
      'Have a plan record a stream no longer; where the first part is no number, it is {streamPath}/{recordType}',
    params: Type.Object({ planId: Type.String({ maxLength: 512 }), streamPath: StreamPath() }),
    reach: 'one',
    async handle({ params: { planId, streamPath } }) {
      const { path, ...by } = removalOf(planId, streamPath)
      await store.removeStream(path, by)
      await changed()
    },
  })
}

/** Both forms of the request to remove a stream: a leading number is the id of a plan (api.md 8.5). */
function removalOf(first: string, rest: string) {
  if (/^\d+$/u.test(first)) return { path: rest, planId: Math.min(Number(first), MAX_PLAN_ID) }
  const whole = `${first}/${rest}`
  const end = whole.lastIndexOf('/')
  return { path: checkStreamPath(whole.slice(0, end)), recordType: whole.slice(end + 1) }
}

/** @throws {InvalidRequest} */
function fragmentText(given: string | number): string {
  parseDurationText('fragment', given)
  const text = String(given)
  return /^\d+$/u.test(text) ? `${text}s` : text
}

/** @throws {InvalidRequest} when it is not a folder below that of storage */
function checkFolder(text: string): string {
  // Folders follow the rules of stream paths, without the placeholders of recordings.
  if (text !== '' && (!isStreamPath(text) || /[{}<>:"|]/u.test(text))) {
    throw new InvalidRequest('filePath must be a folder below that of storage, as plans/door')
  }
  return text
}

function planStreamView(stream: PlanStream) {
  const { planId, streamPath, fragment, filePath, recordType, isEnabled, createdMs, updatedMs } = stream
  return {
    planId,
    streamPath,
    fragment,
    filePath,
    recordType,
    enable: isEnabled,
    createdAt: isoTime(createdMs),
    updatedAt: isoTime(updatedMs),
  }
}

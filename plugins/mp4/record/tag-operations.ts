import {
  parseTime,
  parseTimeRange,
  StreamPath,
  StreamPaths,
  StreamUnavailable,
  TIME_RANGE,
  Type,
  type PluginContext,
  type RecordingTag,
  type RecordingTags,
  type Static,
} from 'sluice/sdk'

const DEFAULT_PAGE_SIZE = 10
const MAX_PAGE_SIZE = 10_000

const Name = (minLength: number) => Type.String({ minLength, maxLength: 255 })
const TIME = 'RFC 3339, or as the times of a range'
const ONE_TAG = Type.Object({ id: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) })

/** `Tag` of the API (api.md 6). */
const Tag = Type.Object({
  id: Type.Integer(),
  tagName: Type.String(),
  streamPath: Type.String(),
  tagTime: Type.String({ format: 'date-time' }),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
})

const TagBody = Type.Object({
  tagName: Name(1),
  streamPath: StreamPath(),
  tagTime: Type.String({ description: TIME }),
})
const TagChanges = Type.Object({
  tagName: Type.Optional(Name(1)),
  streamPath: Type.Optional(StreamPath()),
  tagTime: Type.Optional(Type.String({ description: TIME })),
})
const TagQuery = Type.Object({
  streamPath: Type.Optional(StreamPaths()),
  tagName: Type.Optional(Name(0)),
  ...TIME_RANGE,
  page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e9 })),
  count: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e9 })),
})

/** Adds the operations of the tags of recordings (api.md 6). */
export function addTagOperations({ operations, services }: PluginContext<unknown>): void {
  const tags = (): RecordingTags => {
    const recordings = services.get('recordings')
    if (recordings === undefined) throw new StreamUnavailable('the server records nothing')
    return recordings.tags
  }

  operations.add({
    method: 'GET',
    path: 'api/tag/list',
    summary: 'List tags',
    query: TagQuery,
    answer: Type.Object({ list: Type.Array(Tag), total: Type.Integer() }),
    wire: 'fields',
    async handle({ query }) {
      const limit = Math.min(query.count || DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)
      const offset = ((query.page || 1) - 1) * limit
      const { total, tags: list } = await tags().list(filterOf(query), { limit, offset })
      return { list: list.map(tagView), total }
    },
  })

  operations.add({
    method: 'POST',
    path: 'api/tag/add',
    summary: 'Add tag',
    body: TagBody,
    answer: Tag,
    async handle({ body: { tagName, streamPath, tagTime } }) {
      return tagView(await tags().add({ tagName, streamPath, tagMs: parseTime('tagTime', tagTime, Date.now()) }))
    },
  })

  operations.add({
    method: 'POST',
    path: 'api/tag/update/{id}',
    summary: 'Modify tag',
    params: ONE_TAG,
    body: TagChanges,
    answer: Tag,
    async handle({ params: { id }, body: { tagTime, ...changes } }) {
      const tagMs = tagTime === undefined ? {} : { tagMs: parseTime('tagTime', tagTime, Date.now()) }
      return tagView(await tags().update(id, { ...changes, ...tagMs }))
    },
  })

  operations.add({
    method: 'POST',
    path: 'api/tag/delete/{id}',
    summary: 'Delete tag',
    params: ONE_TAG,
    handle: ({ params: { id } }) => tags().remove(id),
  })
}

function filterOf({ streamPath, tagName, range, start, end }: Static<typeof TagQuery>) {
  const isRange = [range, start, end].some((text) => text !== undefined && text !== '')
  const given = { ...(range && { range }), ...(start && { start }), ...(end && { end }) }
  return { streamPath, tagName, ...(isRange ? parseTimeRange(given, Date.now()) : {}) }
}

function tagView({ id, tagName, streamPath, tagMs, createdMs, updatedMs }: RecordingTag): Static<typeof Tag> {
  const [tagTime = '', createdAt = '', updatedAt = ''] = [tagMs, createdMs, updatedMs].map((ms) =>
    new Date(ms).toISOString(),
  )
  return { id, tagName, streamPath, tagTime, createdAt, updatedAt }
}

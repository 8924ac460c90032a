import {
  Bytes,
  parseTimeRange,
  StreamNotFound,
  StreamPath,
  TIME_RANGE,
  Type,
  type OperationRegistry,
  type Static,
} from 'sluice/sdk'
import { requestClient, requestUrl } from 'sluice/sdk/http'
import type { AlbumLists, ListedPicture } from '../album/album-lists.ts'
import { keepNewest } from '../live/kept-picture.ts'
import type { PictureParts } from '../live/stream-pictures.ts'
import { readFolder } from './picture-query.ts'

const DEFAULT_FOLDER = 'snap'
const DEFAULT_PAGE_SIZE = 48
const MAX_PAGE_SIZE = 1000
const MAX_ID = 2 ** 31 - 1

const Id = Type.Integer({ minimum: 1, maximum: MAX_ID })
const Page = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 1e9, description }))

const Picture = Type.Object({
  id: Type.Integer(),
  streamPath: Type.String(),
  time: Type.String({ format: 'date-time' }),
  mode: Type.Integer({ description: '0 by time, 1 by keyframe, 2 manual, 3 batch' }),
  filePath: Type.String({ description: 'Below the root of the storage' }),
})

const PicturedStream = Type.Object({
  streamPath: Type.String(),
  count: Type.Integer(),
  firstTime: Type.String({ format: 'date-time' }),
  latestTime: Type.String({ format: 'date-time' }),
})

/**
 * Adds the operations of the pictures that are kept, and of taking one: those of the page of pictures. What they answer is for
 * users, whom no gate is asked about.
 */
export function addAlbumOperations(operations: OperationRegistry, parts: PictureParts, lists: AlbumLists): void {
  const { album } = parts
  operations.add({
    method: 'GET',
    path: 'api/streams',
    summary: 'The streams of which pictures are kept',
    query: Type.Object({
      search: Type.Optional(Type.String({ description: 'Those alone whose path has this text in it, in any case' })),
    }),
    answer: Type.Array(PicturedStream),
    paged: true,
    async handle({ query: { search = '' } }) {
      const text = search.toLowerCase()
      const streams = await lists.streams()
      return streams
        .filter(({ streamPath }) => streamPath.toLowerCase().includes(text))
        .map(({ streamPath, count, firstMs, latestMs }) => {
          return { streamPath, count, firstTime: isoTime(firstMs), latestTime: isoTime(latestMs) }
        })
    },
  })

  operations.add({
    method: 'GET',
    path: 'api/list/{streamPath}',
    summary: 'The pictures that are kept, of a stream or of all, the newest first',
    params: Type.Object({ streamPath: Type.Optional(StreamPath()) }),
    query: Type.Object({
      ...TIME_RANGE,
      pageNum: Page('From 1'),
      pageSize: Page(`${DEFAULT_PAGE_SIZE} unless given, at most ${MAX_PAGE_SIZE}`),
    }),
    answer: Type.Object({
      total: Type.Integer(),
      pageNum: Type.Integer(),
      pageSize: Type.Integer(),
      data: Type.Array(Picture),
    }),
    wire: 'fields',
    async handle({ params: { streamPath }, query }) {
      const pageNum = query.pageNum || 1
      const pageSize = Math.min(query.pageSize || DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)
      const filter = { streamPath, ...parseTimeRange(query, Date.now()) }
      const page = { limit: pageSize, offset: (pageNum - 1) * pageSize }
      const { total, pictures } = await lists.pictures(filter, page)
      return { total, pageNum, pageSize, data: pictures.map(pictureView) }
    },
  })

  operations.add({
    method: 'GET',
    path: 'api/picture/{id}',
    summary: 'A picture that is kept',
    params: Type.Object({ id: Id }),
    answer: Bytes(),
    contentType: 'image/jpeg',
    async handle({ params: { id } }) {
      const [picture] = await lists.byIds([id])
      const jpeg = picture && (await album.read(picture.filePath))
      if (jpeg === undefined) throw new StreamNotFound('there is no such picture')
      return jpeg
    },
  })

  operations.add({
    method: 'POST',
    path: 'api/take/{streamPath}',
    summary: 'Take a picture of a stream, and keep it',
    params: Type.Object({ streamPath: StreamPath() }),
    body: Type.Object({
      savePath: Type.String({ default: DEFAULT_FOLDER, description: 'Folder below that of storage' }),
    }),
    answer: Picture,
    reach: { stream: 'streamPath' },
    async handle({ params: { streamPath }, body: { savePath }, request, signal }) {
      const session = { streamPath, url: requestUrl(request), query: '', client: requestClient(request), signal }
      const folder = readFolder({ savePath }) ?? DEFAULT_FOLDER
      const { filePath } = await keepNewest(parts, { session, folder })
      const picture = await lists.byPath(filePath)
      if (picture === undefined) throw new StreamNotFound('the picture was deleted')
      return pictureView(picture)
    },
  })

  operations.add({
    method: 'POST',
    path: 'api/delete',
    summary: 'Delete pictures that are kept',
    body: Type.Object({ ids: Type.Array(Id, { minItems: 1, maxItems: MAX_PAGE_SIZE }) }),
    answer: Type.Array(Picture),
    async handle({ body: { ids } }) {
      const pictures = await lists.byIds(ids)
      for (const { filePath } of pictures) await album.remove(filePath)
      return pictures.map(pictureView)
    },
  })
}

function pictureView({ id, streamPath, filePath, atMs, mode }: ListedPicture): Static<typeof Picture> {
  return { id, streamPath, filePath, mode, time: isoTime(atMs) }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

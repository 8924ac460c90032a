import {
  AccessUnit,
  definePlugin,
  SluiceError,
  type Publisher,
  type SessionInit,
  type Track,
  type TrackInit,
} from 'sluice/sdk'
import { requestClient, requestUrl, type RoutedRequest } from 'sluice/sdk/http'

const SOUND: TrackInit = {
  kind: 'audio',
  codec: 'pcmu',
  timescale: 8000,
  config: { record: Buffer.alloc(0), sampleRate: 8000, channels: 1, codecString: '' },
}

/** Gates look at who publishes; then the token tells. */
const PUBLIC = { config: { access: 'public' } } as const

type Session = { readonly publisher: Publisher; readonly track: Track; samples: number }

/**
 * Publishes what comes in by requests, in the manner of WHIP (RFC 9725): `POST` to a stream's path makes a resource, `PATCH`
 * to its `Location` brings sound, `DELETE` ends it.
 */
export default definePlugin({
  name: 'whip-like',
  version: '1.0.0',
  setup(ctx) {
    const { http, node, streams } = ctx
    const sessions = new Map<string, Session>()
    const statistics = ctx.keep('statistics', () => ({ resources: 0, generations: 0 }))
    const generation = ++statistics.generations

    const sessionOf = (token: string): Session => {
      const session = sessions.get(token)
      if (session === undefined) throw new SluiceError('GONE', 410, 'the session has ended')
      return session
    }
    const requestOf = (raw: RoutedRequest, streamPath: string): SessionInit => {
      return { streamPath, url: requestUrl(raw), query: '', client: requestClient(raw) }
    }

    http.addContentTypeParser('audio/basic', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

    http.post<{ Params: { '*': string } }>('/publish/*', PUBLIC, async ({ raw, params }, reply) => {
      const publisher = await streams.publish(requestOf(raw, params['*']))
      const track = publisher.addTrack(SOUND)
      if (track === undefined) throw new SluiceError('REFUSED', 503, 'the stream takes no sound')
      publisher.tracksComplete()
      const token = ctx.sessionToken()
      sessions.set(token, { publisher, track, samples: 0 })
      publisher.onClose(() => sessions.delete(token))
      statistics.resources++
      return reply.code(201).header('location', `/whip-like/resource/${token}`).send()
    })

    http.patch<{ Params: { token: string }; Body: Buffer }>('/resource/:token', PUBLIC, ({ params, body }, reply) => {
      const session = sessionOf(params.token)
      const { publisher, track, samples } = session
      publisher.write(AccessUnit.fromData(track, samples, samples, true, body))
      session.samples += body.length
      return reply.code(204).header('x-generation', generation).send()
    })

    http.delete<{ Params: { token: string } }>('/resource/:token', PUBLIC, ({ params }, reply) => {
      sessionOf(params.token).publisher.close('deleted')
      return reply.code(200).header('x-generation', generation).send()
    })

    http.get('/statistics', PUBLIC, () => ({ ...statistics, process: node.process }))
  },
})

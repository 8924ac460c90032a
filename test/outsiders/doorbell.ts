/** A plugin of a stranger: doorbells, each at a stream, that are rung over HTTP, and watched by WebSocket. */
import { definePlugin, Int64, SluiceError, StreamPath, Type } from 'sluice/sdk'
import { WebSocketServer, type WebSocket } from 'ws'

const Bell = Type.Object({
  streamPath: Type.String(),
  label: Type.String(),
  rungCount: Int64(),
  isMuted: Type.Boolean(),
  volume: Type.Integer(),
  visitors: Type.Array(Type.String()),
  lastRing: Type.Union([Type.Object({ by: Type.String(), user: Type.String() }), Type.Null()]),
  note: Type.Optional(Type.String()),
})
type Bell = { label: string; rungCount: number; visitors: string[]; lastRing: { by: string; user: string } | null }

const AT_STREAM = Type.Object({ streamPath: StreamPath() })

class NoBell extends SluiceError {
  constructor() {
    super('NO_BELL', 404, 'there is no such bell')
  }
}

export default definePlugin({
  name: 'doorbell',
  version: '1.0.0',
  mounts: ['doorbell', 'bell'],
  setup(ctx) {
    const { operations, http, log } = ctx
    const bells = ctx.keep('bells', () => new Map<string, Bell>())
    const server = new WebSocketServer({ noServer: true })
    const watchers = new Set<WebSocket>()

    function bellAt(streamPath: string): Bell {
      const bell = bells.get(streamPath)
      if (bell === undefined) throw new NoBell()
      return bell
    }

    operations.add({
      method: 'POST',
      path: 'api/hang/{streamPath}',
      aliases: ['PUT api/bells/{streamPath}', '/api/doorbell/hang/{streamPath}', 'GET api/hang/{streamPath}'],
      summary: 'Hang a bell at a stream',
      params: AT_STREAM,
      body: Type.Object({
        doorLabel: Type.String({ minLength: 1, maxLength: 40 }),
        rungCount: Type.Optional(Int64()),
      }),
      answer: Bell,
      reach: { stream: 'streamPath' },
      handle({ params: { streamPath }, body: { doorLabel: label, rungCount = 0 } }) {
        const bell = { label, rungCount, visitors: [], lastRing: null }
        bells.set(streamPath, bell)
        return { streamPath, ...bell }
      },
    })

    operations.add({
      method: 'GET',
      path: 'api/bells/{streamPath}',
      summary: 'One bell',
      params: AT_STREAM,
      answer: Bell,
      handle: ({ params: { streamPath } }) => ({ streamPath, ...bellAt(streamPath) }),
    })

    operations.add({
      method: 'GET',
      path: 'api/bells',
      summary: 'Bells, or those of some doors',
      query: Type.Object({ doorLabel: Type.Array(Type.String(), { default: [] }) }),
      answer: Type.Array(Bell),
      paged: true,
      reach: 'all',
      handle: ({ query }) =>
        [...bells]
          .filter(([, { label }]) => query.doorLabel.length === 0 || query.doorLabel.includes(label))
          .map(([streamPath, bell]) => ({ streamPath, ...bell })),
    })

    operations.add({
      method: 'POST',
      path: 'api/ring/{streamPath}',
      summary: 'Ring it',
      params: AT_STREAM,
      query: Type.Object({ isLoud: Type.Boolean({ default: false }) }),
      // The body is the list itself.
      body: Type.Array(Type.String()),
      answer: Type.Object({ rungCount: Int64(), heardBy: Type.Integer() }),
      wire: 'fields',
      errors: 'in-band',
      handle({ params: { streamPath }, query: { isLoud }, body: visitors, user }) {
        const bell = bellAt(streamPath)
        if (visitors.includes('burglar')) throw new Error('the key is under the mat')
        bell.rungCount += 1
        bell.visitors.push(...visitors)
        bell.lastRing = { by: visitors[0] ?? '', user }
        for (const watcher of watchers) watcher.send(isLoud ? 'RING' : 'ring')
        return { rungCount: bell.rungCount, heardBy: watchers.size }
      },
    })

    operations.add({
      method: 'GET',
      path: 'api/volume',
      summary: 'How loud all bells are',
      answer: Type.Object({ volume: Type.Number(), bells: Type.Record(Type.String(), Type.Integer()) }),
      wire: 'bare',
      handle: () => ({ volume: 0.5, bells: Object.fromEntries([...bells].map(([path]) => [path, 1])) }),
    })

    operations.add({
      method: 'POST',
      path: 'api/photo',
      summary: 'A device uploads the photo of a visitor',
      body: Type.String({ maxLength: 100 }),
      access: 'public',
      handle: ({ body }) => log.info({ length: body.length }, 'a photo'),
    })

    operations.socket({
      path: 'api/watch/{streamPath}',
      summary: 'Hear the bell of a stream',
      params: AT_STREAM,
      query: Type.Object({ fromCount: Type.Integer({ default: 0, minimum: 0 }) }),
      open({ params: { streamPath }, query: { fromCount }, user, request, socket, head }) {
        const bell = bellAt(streamPath)
        server.handleUpgrade(request, socket, head, (client) => {
          watchers.add(client.on('close', () => watchers.delete(client)))
          client.send(`${user} hears ${bell.label} from ${fromCount}`)
        })
      },
    })

    http.get('/guarded', () => 'inside')
    http.get('/sign', { config: { access: 'public' } }, () => 'a sign at the door')
  },
})

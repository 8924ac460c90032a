import { expect } from 'chai'
import { createFakeHost } from 'sluice/sdk/testing'
import hls from '../index.ts'
import type { FormerRoutes } from '../http/routes.ts'

describe('HLS after the plugin was replaced', () => {
  it('leads to all generations that have viewers, past those that have ended', async () => {
    const numbers = new Map()
    const oldest = former({
      numbers,
      owns: ({ kind }) => kind === 'file',
      handle: async (_, reply) => reply.send('old'),
    })
    const ended = former({ numbers, former: oldest, ended: true })
    const host = await createFakeHost(hls, { services: { 'hls:former': ended } })
    const routes = host.services.provided.get('hls:former') as FormerRoutes
    try {
      const response = await fetch(`${host.http.origin}/hls/live/a/abc-video-1.m4s`)
      expect([response.status, await response.text()]).to.eql([200, 'old'])
      expect(routes.former).to.equal(oldest)
      expect(routes.numbers).to.equal(numbers)
    } finally {
      await host.dispose()
    }
    expect(routes.ended).to.equal(true)
  })
})

function former(fields: Partial<FormerRoutes>): FormerRoutes {
  const others = {
    former: undefined,
    ended: false,
    numbers: new Map(),
    owns: () => false,
    nextNumbers: () => undefined,
  }
  return { ...others, handle: async (_, reply) => reply.code(500).send(), ...fields }
}

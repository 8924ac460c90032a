import { expect } from 'chai'
import { definePlugin, Type } from 'sluice/sdk'
import { checkLiveKeys, isLive } from './live-keys.ts'

const plugin = (...live: string[]) =>
  definePlugin({
    name: 'demo',
    version: '1.0.0',
    config: Type.Object({ chunk_size: Type.Integer({ default: 1 }), tcp: Type.Object({ noDelay: Type.Boolean() }) }),
    live,
    setup() {},
  })

describe('the keys that a plugin takes live', () => {
  const cases: { live: string; takes: string[]; leaves: string[] }[] = [
    { live: 'enable_auth', takes: ['enableauth'], leaves: ['enable', 'loglevel'] },
    { live: 'ChunkSize', takes: ['chunk_size'], leaves: ['tcp.noDelay'] },
    { live: 'tcp', takes: ['tcp.noDelay'], leaves: ['chunk_size'] },
    { live: 'tcp.no-delay', takes: ['tcp.noDelay'], leaves: ['tcp.other'] },
    { live: 'publish', takes: ['publish.key', 'publish.maxcount'], leaves: ['publisher.key', 'subscribe.key'] },
  ]
  for (const { live, takes, leaves } of cases) {
    it(`with '${live}' are ${takes.join(' and ')}`, () => {
      const definition = plugin(live)
      checkLiveKeys(definition)
      for (const key of takes) expect(isLive(definition, key), key).to.equal(true)
      for (const key of leaves) expect(isLive(definition, key), key).to.equal(false)
    })
  }

  it('are none where it names none', () => {
    const { live: _, ...definition } = plugin()
    checkLiveKeys(definition)
    expect(isLive(definition, 'publish.key')).to.equal(false)
  })

  for (const [live, hint] of [
    ['nonsense', ''],
    ['chunksizes', ", did you mean 'chunk_size'?"],
    ['publish.key.secret', ''],
  ] as const) {
    it(`can't be '${live}'`, () => {
      expect(() => checkLiveKeys(plugin('publish', live))).to.throw(
        `has a bad live: its config has no key '${live}'${hint}`,
      )
    })
  }
})

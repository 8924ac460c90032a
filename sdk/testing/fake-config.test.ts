import { expect } from 'chai'
import { Type } from 'typebox'
import { tcpConfig } from '../config/groups.ts'
import { ByteSize, Duration } from '../config/types.ts'
import { effectiveConfig } from './fake-config.ts'

const config = Type.Object({
  tcp: tcpConfig({ listenaddr: ':1935' }),
  chunksize: ByteSize({ default: '64KB' }),
  pulls: Type.Array(Type.Object({ url: Type.String(), retry: Duration({ default: '5s' }) }), { default: [] }),
})

describe('effectiveConfig', () => {
  it('takes the defaults of all schemas, in milliseconds and bytes', () => {
    const effective = effectiveConfig({ config })
    expect(effective.tcp.listenaddr).to.equal(':1935')
    expect(effective.chunksize).to.equal(65_536)
    expect(effective.subscribe.waittimeout).to.equal(10_000)
    expect(effective.subscribe.writemerge).to.equal('auto')
    expect(effective.publish.continuepushtimeout).to.equal(0)
    expect(effective.signed_policy.actions).to.eql(['publish', 'play'])
  })

  it("prefers what is written, key by key, to the definition's defaults, and these to the schema's", () => {
    const definition = { config, defaults: { subscribe: { waittimeout: '3s', buffertime: '1m30s' } } }
    const { subscribe } = effectiveConfig(definition, { subscribe: { waittimeout: '250ms' } })
    expect(subscribe.waittimeout).to.equal(250)
    expect(subscribe.buffertime).to.equal(90_000)
    expect(subscribe.queuetime).to.equal(5000)
  })

  it('reads bare integers as seconds and bytes, and fills up what is in lists', () => {
    const written = { chunksize: 4096, subscribe: { waittimeout: 2 }, pulls: [{ url: 'a' }, { url: 'b', retry: '1s' }] }
    const effective = effectiveConfig({ config }, written)
    expect(effective.chunksize).to.equal(4096)
    expect(effective.subscribe.waittimeout).to.equal(2000)
    expect(effective.pulls).to.eql([
      { url: 'a', retry: 5000 },
      { url: 'b', retry: 1000 },
    ])
  })

  it('leaves out what may be left out and is', () => {
    const nickname = Type.Optional(Type.String())
    const definition = { config: Type.Object({ nickname }) }
    expect(effectiveConfig(definition)).to.not.have.property('nickname')
    expect(effectiveConfig(definition, { nickname: 'a' })).to.have.property('nickname', 'a')
    expect(effectiveConfig(definition).hook).to.eql({})
  })

  it('is frozen', () => {
    const effective = effectiveConfig({ config })
    expect([effective, effective.tcp, effective.pulls].every(Object.isFrozen)).to.equal(true)
  })

  it('refuses keys that are not there, and what it can not read', () => {
    expect(() => effectiveConfig({ config }, { tpc: {} })).to.throw('there is no config key tpc')
    expect(() => effectiveConfig({ config }, { tcp: { port: 1 } })).to.throw('there is no config key tcp.port')
    expect(() => effectiveConfig({ config }, { subscribe: { waittimeout: 'soon' } })).to.throw('soon is no duration')
    expect(() => effectiveConfig({ config }, { chunksize: '1 mile' })).to.throw('1 mile is no size')
    const needed = Type.Object({ name: Type.String() })
    expect(() => effectiveConfig({ config: needed })).to.throw('config key name has neither value nor default')
  })
})

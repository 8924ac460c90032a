import { expect } from 'chai'
import type { Source } from '../../config/settings.ts'
import { FakeParts, LISTEN } from '../testing/fake-parts.ts'
import type { PluginSection } from './generation-parts.ts'
import { GenerationPorts } from './generation-ports.ts'

const FALLBACK = ':8554'

describe('GenerationPorts', () => {
  /** Listens where the system lets nobody have the address of the config. */
  const listen = async (source: Source) => {
    const { parts, log } = new FakeParts()
    const { net: plainNet } = parts
    const tcp = { ...LISTEN, listenaddr: ':554' }
    const own = { tcp, others: { listenaddr: ':1' } }
    const plain = parts.config.resolve({ name: 'rtsp', version: '1', setup() {} })
    const values = { ...plain.values, ...own }
    const section: PluginSection = { ...plain, values, sources: new Map([['tcp.listenaddr', source]]) }
    const net: typeof plainNet = {
      ...plainNet,
      acquire: async (owner, config, accept) => {
        if (config.fallback === undefined) throw new Error('permission denied')
        return { ...(await plainNet.acquire(owner, config, accept)), instead: config.fallback }
      },
    }
    const ports = new GenerationPorts({ plugin: 'rtsp', generation: 1, log }, { ...parts, net }, () => section)
    expect(ports.asListening(section)).to.equal(section)
    await ports.listen(tcp, () => {}, { fallback: FALLBACK })
    return { listening: ports.asListening(section), section }
  }

  it('take the fallback in place of a default, and say the address that is listened on', async () => {
    const { listening, section } = await listen('plugin')
    expect(listening.values).to.eql({ ...section.values, tcp: { ...LISTEN, listenaddr: FALLBACK } })
  })

  for (const source of ['file', 'env', 'modify'] as const) {
    it(`take no other address than the one that was set (${source})`, async () => {
      const error: unknown = await listen(source).catch((reason: unknown) => reason)
      expect(error).to.have.property('message', 'permission denied')
    })
  }
})
